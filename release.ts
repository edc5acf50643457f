// Builds dist/release: one archive a target, their SHA-256 sums, the install script and the entry for the ACP registry.
//   bun run release [--target linux-x64 …] [--base-url https://…/v1.2.3]
// The program for this machine is run before it is packed. For others Bun fetches its own runtime from the registry it
// was installed from; a target whose runtime cannot be had is named, the rest is built, and the exit code is 1.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { compile, tryBinary } from "./build.ts";
import { version } from "./package.json";
import agent from "./packaging/agent.json";

const ROOT = import.meta.dir;
/** Where packaging/agent.json and packaging/install.sh say the archives are, until a release says better. */
export const PLACEHOLDER_URL = `https://example.com/iac-code/v${version}`;

/** Our name of a target → Bun's, and the ACP registry's where it has one (it knows no musl). */
export const TARGETS = {
  "linux-x64": { bun: "bun-linux-x64", registry: "linux-x86_64" },
  "linux-arm64": { bun: "bun-linux-arm64", registry: "linux-aarch64" },
  "linux-x64-musl": { bun: "bun-linux-x64-musl", registry: undefined },
  "linux-arm64-musl": { bun: "bun-linux-arm64-musl", registry: undefined },
  "darwin-x64": { bun: "bun-darwin-x64", registry: "darwin-x86_64" },
  "darwin-arm64": { bun: "bun-darwin-arm64", registry: "darwin-aarch64" },
  "windows-x64": { bun: "bun-windows-x64", registry: "windows-x86_64" },
  "windows-arm64": { bun: "bun-windows-arm64", registry: "windows-aarch64" },
} as const;
export type Target = keyof typeof TARGETS;

const isTarget = (name: string): name is Target => Object.hasOwn(TARGETS, name);
export const archiveName = (target: Target): string => `iac-code-v${version}-${target}.tar.gz`;
const programName = (target: Target): string =>
  target.startsWith("windows") ? "iac-code.exe" : "iac-code";

/** The target that this machine runs, `undefined` where there is none. */
export function hostTarget(): Target | undefined {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const isMusl = process.platform === "linux" && isMuslRuntime();
  const name = `${system}-${process.arch}${isMusl ? "-musl" : ""}`;
  return isTarget(name) ? name : undefined;
}

/** Node's report names glibc's version where the runtime uses glibc. */
function isMuslRuntime(): boolean {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime === undefined;
}

const BLOCK_BYTES = 512;
const CHECKSUM_AT = 148;

/** One file of a tar archive (ustar), without owner or time, so that the same input gives the same archive. */
function tarEntry(name: string, mode: number, content: Uint8Array): Uint8Array {
  const header = new Uint8Array(BLOCK_BYTES);
  const put = (text: string, at: number) => header.set(new TextEncoder().encode(text), at);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  put(name, 0);
  put(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100);
  put(`${octal(content.length, 11)}\0${octal(0, 11)}\0`, 124);
  put("        0", CHECKSUM_AT);
  put("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 6)}\0 `, CHECKSUM_AT);
  const padded = new Uint8Array(Math.ceil(content.length / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(content);
  return Buffer.concat([header, padded]);
}

async function pack(target: Target, program: string): Promise<Uint8Array> {
  const files = [
    tarEntry(programName(target), 0o755, await Bun.file(program).bytes()),
    tarEntry("LICENSE", 0o644, await Bun.file(join(ROOT, "LICENSE")).bytes()),
    new Uint8Array(2 * BLOCK_BYTES),
  ];
  return Bun.gzipSync(Buffer.concat(files));
}

async function buildTarget(target: Target, folder: string): Promise<string> {
  const work = mkdtempSync(join(tmpdir(), "iac-code-release-"));
  try {
    const program = join(work, programName(target));
    const isHost = target === hostTarget();
    await compile(program, isHost ? undefined : TARGETS[target].bun);
    if (isHost) await tryBinary(program);
    const archive = await pack(target, program);
    await Bun.write(join(folder, archiveName(target)), archive);
    return new Bun.CryptoHasher("sha256").update(archive).digest("hex");
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The registry's entry for this version: the archives that were built, under `baseUrl`; without `sums` all there could be. */
export function registryEntry(baseUrl: string, sums?: ReadonlyMap<Target, string>): unknown {
  const binary: Record<string, unknown> = {};
  for (const target of Object.keys(TARGETS).filter(isTarget)) {
    const { registry } = TARGETS[target];
    if (registry === undefined) continue;
    const sha256 = sums?.get(target);
    if (sums !== undefined && sha256 === undefined) continue;
    binary[registry] = {
      archive: `${baseUrl}/${archiveName(target)}`,
      cmd: `./${programName(target)}`,
      args: ["acp"],
      ...(sha256 === undefined ? {} : { sha256 }),
    };
  }
  return { ...agent, version, distribution: { ...agent.distribution, binary } };
}

export type Release = {
  readonly sums: ReadonlyMap<Target, string>;
  readonly missing: readonly string[];
};

/** Builds `targets` into `folder`, emptied first. Never rejects for a target that cannot be built; it is in `missing`. */
export async function release(
  targets: readonly Target[],
  folder: string,
  baseUrl: string,
): Promise<Release> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const sums = new Map<Target, string>();
  const missing: string[] = [];
  for (const target of targets) {
    try {
      sums.set(target, await buildTarget(target, folder));
      process.stdout.write(`${archiveName(target)}  ${sums.get(target)}\n`);
    } catch (error) {
      missing.push(
        `${target}: not built: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  const lines = [...sums].map(([target, sum]) => `${sum}  ${archiveName(target)}\n`);
  await Bun.write(join(folder, "SHA256SUMS"), lines.join(""));
  const script = await Bun.file(join(ROOT, "packaging/install.sh")).text();
  await Bun.write(join(folder, "install.sh"), script.replaceAll(PLACEHOLDER_URL, baseUrl));
  await Bun.write(join(folder, "icon.svg"), Bun.file(join(ROOT, "packaging/icon.svg")));
  const entry = JSON.stringify(registryEntry(baseUrl, sums), null, 2);
  await Bun.write(join(folder, "agent.json"), `${entry}\n`);
  return { sums, missing };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      target: { type: "string", multiple: true, default: Object.keys(TARGETS) },
      "base-url": { type: "string", default: PLACEHOLDER_URL },
    },
  });
  const unknown = values.target.filter((name) => !isTarget(name));
  if (unknown.length > 0) {
    const known = Object.keys(TARGETS).join(", ");
    throw new Error(`--target must be one of ${known}, not ${unknown.join(", ")}`);
  }
  const folder = join(ROOT, "dist/release");
  const baseUrl = values["base-url"].replace(/\/+$/, "");
  const { sums, missing } = await release(values.target.filter(isTarget), folder, baseUrl);
  for (const line of missing) process.stderr.write(`${line}\n`);
  if (baseUrl === PLACEHOLDER_URL)
    process.stderr.write("Before publishing, give --base-url: where the archives will be.\n");
  process.stdout.write(`${sums.size} of ${values.target.length} in dist/${basename(folder)}\n`);
  process.exitCode = missing.length === 0 ? 0 : 1;
}
