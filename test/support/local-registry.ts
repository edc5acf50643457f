// A package registry on loopback that has what is installed here and nothing else, so that installing the packed program needs
// no network. https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord } from "../../src/lib/json.ts";

export type LocalRegistry = Disposable & {
  readonly url: string;
  /** Names asked for that are not installed here: optional packages of other platforms, or a missing dependency. */
  readonly missing: ReadonlySet<string>;
};

type Installed = { readonly folder: string; readonly manifest: Readonly<Record<string, unknown>> };

function readManifest(folder: string): Readonly<Record<string, unknown>> | undefined {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return undefined;
  const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
  return isRecord(manifest) ? manifest : undefined;
}

/** The package `name` as `from` finds it: in its own node_modules or one above. */
function findInstalled(name: string, from: string): Installed | undefined {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, "node_modules", name);
    const manifest = readManifest(folder);
    if (manifest !== undefined) return { folder, manifest };
    if (dirname(at) === at) return undefined;
  }
}

/** Everything that `from` depends on at run time, by name and version. */
function closureOf(from: string): Map<string, Map<string, Installed>> {
  const found = new Map<string, Map<string, Installed>>();
  const visit = (folder: string): void => {
    const { dependencies } = readManifest(folder) ?? {};
    for (const name of Object.keys(isRecord(dependencies) ? dependencies : {})) {
      const installed = findInstalled(name, folder);
      const version = String(installed?.manifest["version"]);
      const versions = found.get(name) ?? new Map<string, Installed>();
      if (installed === undefined || versions.has(version)) continue;
      found.set(name, versions.set(version, installed));
      visit(installed.folder);
    }
  };
  visit(from);
  return found;
}

/** `leaveOut` is answered with 404, as on a machine where it cannot be had. */
export function localRegistry(root: string, leaveOut: readonly string[]): LocalRegistry {
  const packages = closureOf(root);
  for (const name of leaveOut) packages.delete(name);
  const missing = new Set<string>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    fetch: (request) => {
      const { pathname, origin } = new URL(request.url);
      const [name = "", version] = decodeURIComponent(pathname).slice(1).split("/-/");
      const versions = packages.get(name);
      if (versions === undefined) {
        missing.add(name);
        return new Response("{}", { status: 404 });
      }
      if (version === undefined) return Response.json(listing(name, versions, origin));
      const installed = versions.get(version.replace(/\.tgz$/, ""));
      if (installed === undefined) return new Response("", { status: 404 });
      const args = [
        "-czhf",
        "-",
        "--exclude",
        "./node_modules",
        "--transform",
        "s,^\\.,package,",
        ".",
      ];
      return new Response(Bun.spawnSync(["tar", ...args], { cwd: installed.folder }).stdout);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/`,
    missing,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

function listing(name: string, versions: ReadonlyMap<string, Installed>, origin: string): unknown {
  const all = [...versions].map(([version, { manifest }]) => {
    const { devDependencies: _, scripts: __, ...rest } = manifest;
    return [version, { ...rest, dist: { tarball: `${origin}/${name}/-/${version}.tgz` } }];
  });
  return {
    name,
    "dist-tags": { latest: [...versions.keys()].at(-1) },
    versions: Object.fromEntries(all),
  };
}
