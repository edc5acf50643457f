// What a path's name says: state files, production, secrets behind a pattern, harmless devices. Names only, no disk.

import { basename, dirname, isAbsolute, join, normalize } from "node:path/posix";
import { Glob } from "bun";

const STATE_EXAMPLES = ["terraform.tfstate", "terraform.tfstate.backup", "dev.tfstate"] as const;
const isPattern = (path: string): boolean => /[*?[]/.test(path);

/** A Terraform state, its backups included; also a pattern that would match one. */
export function isStateFile(path: string): boolean {
  const name = basename(path);
  if (/\.tfstate(\.|$)/i.test(name)) return true;
  if (!isPattern(name)) return false;
  const pattern = new Glob(name);
  return STATE_EXAMPLES.some((example) => pattern.match(example));
}

/** Files that Terraform and git keep for themselves; writing them by hand breaks the project. */
export const isKeptByTool = (path: string): boolean =>
  /(^|\/)(\.terraform|\.git)(\/|$)|(^|\/)\.terraform\.lock\.hcl$/.test(path);

/** Devices that swallow what is written and give nothing away. */
export const isHarmlessDevice = (path: string): boolean =>
  /^\/dev\/(null|zero|full|stdin|stdout|stderr|tty|u?random|fd\/\d+)$/.test(path);

/** Bash opens a connection for these names. */
export const isNetworkDevice = (path: string): boolean => /^\/dev\/(tcp|udp)\//.test(path);

/** Anything else below /dev or /proc/sys, /sys: a disk, a socket, a kernel switch. */
export const isRawDevice = (path: string): boolean =>
  /^\/(dev|sys|proc)\//.test(path) && !isHarmlessDevice(path) && !path.startsWith("/dev/shm/");

/**
 * True when a workspace, path, context or profile looks like production: one of its parts is prod, prd, production,
 * live, or ends in prod. `nonprod`, `pre-prod` and `product` do not.
 */
export function looksLikeProduction(text: string): boolean {
  const parts = text
    .replaceAll(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return parts.some((part, index) => {
    if (/^(non|pre|not|no)$/.test(parts[index - 1] ?? "")) return false;
    if (/^(prd|live|production)\d*$/.test(part)) return true;
    return /prod(uction)?\d*$/.test(part) && !/(non|pre|not)prod/.test(part);
  });
}

const SECRET_EXAMPLES = [
  ".env",
  "prod.env",
  "terraform.tfstate",
  "terraform.tfstate.backup",
  "terraform.tfvars",
  "secrets.auto.tfvars",
  "kubeconfig",
  "id_rsa",
  "server.pem",
  "server.key",
  "credentials",
] as const;

/** For a pattern such as `*` or `terraform.*`: secret-looking names that it would match, beside it. */
export function secretsBehind(path: string): string[] {
  if (!isPattern(path)) return [];
  const pattern = new Glob(basename(path));
  const folder = path.slice(0, path.length - basename(path).length);
  return SECRET_EXAMPLES.filter(
    // The shell's own patterns leave out names that start with a dot.
    (name) => (!name.startsWith(".") || basename(path).startsWith(".")) && pattern.match(name),
  ).map((name) => folder + name);
}

/** Where systems and package managers put programs. */
const PROGRAM_FOLDERS =
  /^(\/usr(\/local)?)?\/s?bin$|^\/opt\/homebrew\/s?bin$|^\/home\/linuxbrew\/\.linuxbrew\/bin$|^\/snap\/bin$|^\/nix\/store\/[^/]+\/bin$/;

/**
 * True for a program that is named by a path (`./ls`, `/tmp/x/cat`) and lies neither where systems keep programs nor in
 * a folder of `pathValues`, the shell's own PATH: then its name says nothing about what it does.
 */
export function isForeignProgram(
  word: string,
  pathValues: readonly (string | undefined)[] = [],
): boolean {
  if (!word.includes("/")) return false;
  const folder = dirname(normalize(word));
  if (!isAbsolute(folder)) return true;
  const [path, ...others] = pathValues;
  const onPath = others.length === 0 && (path ?? "").split(":").includes(folder);
  return !onPath && !PROGRAM_FOLDERS.test(folder);
}

/** `path` as seen from where the line starts, after `cd folder`. */
export function fromFolder(folder: string, path: string): string {
  return folder === "" || isAbsolute(path) || path.startsWith("~") ? path : join(folder, path);
}
