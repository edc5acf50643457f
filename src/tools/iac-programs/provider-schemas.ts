// The schemas of installed providers: asked of terraform or tofu once for each lock file, kept packed on disk.

import { existsSync } from "node:fs";
import { mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { TerraformModule } from "../../iac/map/project-index.ts";
import { openBundled } from "../../iac/schema/bundled.ts";
import type { OpenSchema } from "../../iac/schema/check-arguments.ts";
import { fromProviderSchemas } from "../../iac/schema/from-provider.ts";
import {
  openSchemaIndex,
  schemaIndexFile,
  type SchemaIndex,
} from "../../iac/schema/schema-index.ts";
import { newUuid } from "../../lib/ids.ts";
import { parseJson } from "../../lib/json.ts";
import type { ToolContext } from "../tool.ts";
import { bringsProviders } from "./own-code.ts";
import { failure, runProgram, type ProgramProject } from "./program.ts";
import { terraformBinary } from "./terraform.ts";

/** The largest provider prints some 80 MB; with several in one module. */
const MAX_SCHEMA_BYTES = 400 * 1024 * 1024;
const LOCK_FILE = ".terraform.lock.hcl";

const cacheFile = z.array(schemaIndexFile);

export type SchemaPlace = Pick<ProgramProject, "root" | "env" | "signal" | "binary"> & {
  readonly cacheDir: string;
};
/** Where schemas are kept: once for all sessions where the program has a place for that. */
export function cacheDirOf({
  settings,
  session,
}: Pick<ToolContext, "settings" | "session">): string {
  return settings.cacheDir ?? join(session.outputDir, "cache");
}

export type InstalledSchemas = readonly SchemaIndex[];

/** The schemas of a lock file that were asked for before; nothing is run. `undefined`: never asked. */
export async function cachedSchemas(
  { directory }: Pick<TerraformModule, "directory">,
  place: Pick<SchemaPlace, "root" | "cacheDir">,
): Promise<InstalledSchemas | undefined> {
  const path = await cachePath(join(place.root, directory), place.cacheDir);
  if (path === undefined || !existsSync(path)) return undefined;
  try {
    const text = new TextDecoder().decode(Bun.zstdDecompressSync(await Bun.file(path).bytes()));
    return cacheFile.safeParse(parseJson(text)).data?.map(openSchemaIndex);
  } catch {
    // Half written or of another version of ours: it is made anew.
    return undefined;
  }
}

/** The same, asked of the binary when it was never asked before. A text says why there is nothing. */
export async function installedSchemas(
  module: TerraformModule,
  place: SchemaPlace,
): Promise<InstalledSchemas | string> {
  const cached = await cachedSchemas(module, place);
  if (cached !== undefined) return cached;
  const binary = terraformBinary(place);
  if (binary === undefined) return "neither tofu nor terraform is installed";
  const cwd = join(place.root, module.directory);
  const brought = await bringsProviders(cwd);
  if (brought !== undefined) return brought;
  const output = await runProgram([binary, "providers", "schema", "-json"], cwd, {
    ...place,
    maxBytes: MAX_SCHEMA_BYTES,
  });
  if (typeof output === "string") return output;
  if (output.exitCode !== 0) return failure(`${binary.split("/").at(-1)} providers schema`, output);
  const files = fromProviderSchemas(
    parseJson(output.stdout),
    (source) => lockedVersion(module, source) ?? "built in",
  );
  await keep(JSON.stringify(files), cwd, place.cacheDir);
  return files.map(openSchemaIndex);
}

/** For checks that run no program: an installed provider's schema that was asked for before, else the bundled one. */
export function knownSchemas(place: Pick<SchemaPlace, "root" | "cacheDir">): OpenSchema {
  return async (source, directory) => {
    const installed = await cachedSchemas({ directory }, place);
    const real = installed?.find((schema) => schema.source === source);
    if (real !== undefined) return { index: real, isReal: true };
    const index = await openBundled(source);
    return index === undefined ? undefined : { index, isReal: false };
  };
}

function lockedVersion({ providers }: TerraformModule, source: string): string | undefined {
  return providers.find((use) => (use.source ?? `hashicorp/${use.name}`).endsWith(source))?.locked;
}

/** Where the schemas of a directory's lock file are kept; `undefined` without a lock file. */
async function cachePath(directory: string, cacheDir: string): Promise<string | undefined> {
  try {
    const lock = await readFile(join(directory, LOCK_FILE));
    return join(cacheDir, "schemas", `${Bun.SHA256.hash(lock, "hex")}.zst`);
  } catch {
    // Never initialised, or only built-in providers.
    return undefined;
  }
}

async function keep(text: string, directory: string, cacheDir: string): Promise<void> {
  const path = await cachePath(directory, cacheDir);
  if (path === undefined) return;
  try {
    await mkdir(join(cacheDir, "schemas"), { recursive: true, mode: 0o700 });
    const part = `${path}.${newUuid()}`;
    await Bun.write(part, Bun.zstdCompressSync(text));
    await rename(part, path);
  } catch {
    // A full or read-only disk costs the next call some seconds, nothing else.
  }
}
