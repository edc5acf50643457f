// The npm package as a user gets it: packed once, unpacked into node_modules of an empty folder, beside exactly the
// dependencies that its package.json names (and theirs). No network: they are links to what is installed here.

import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { runCli } from "./run-cli.ts";
import { type TempDir, tempDir } from "./temp-dir.ts";

const ROOT = join(import.meta.dir, "../..");
const manifest = z.object({
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
  scripts: z.record(z.string(), z.string()).default({}),
  bin: z.record(z.string(), z.string()).optional().catch(undefined),
});

export const manifestOf = (folder: string): z.output<typeof manifest> =>
  manifest.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));

/** Packs the repository; resolves with the path of the archive in `folder`. */
export async function pack(folder: string): Promise<string> {
  const { code, out, err } = await runCli(["pm", "pack", "--quiet", "--destination", folder], {
    command: [process.execPath],
    cwd: ROOT,
  });
  if (code !== 0) throw new Error(`bun pm pack ended with ${code}: ${err}`);
  return out.trim();
}

export type Installed = TempDir & {
  /** The unpacked package. */
  readonly root: string;
  readonly launcher: string;
};

/** A folder with the package installed; `bun: false` leaves the optional dependency out. */
export async function installPacked(
  archive: string,
  options: { readonly bun: boolean },
): Promise<Installed> {
  const folder = await tempDir();
  const modules = folder.file("node_modules");
  const root = join(modules, "iac-code");
  mkdirSync(root, { recursive: true });
  Bun.spawnSync(["tar", "-xzf", archive, "-C", root, "--strip-components", "1"]);
  const { dependencies, optionalDependencies } = manifestOf(root);
  const names = Object.keys(
    options.bun ? { ...dependencies, ...optionalDependencies } : dependencies,
  );
  for (const name of names) {
    const target = join(modules, name);
    mkdirSync(dirname(target), { recursive: true });
    // Links are resolved to their real place, where the dependencies of dependencies are found as they were installed.
    if (!existsSync(target)) symlinkSync(join(ROOT, "node_modules", name), target);
  }
  return { ...folder, root, launcher: join(root, "bin/iac-code.mjs") };
}
