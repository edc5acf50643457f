// What a call would touch, made ready for the decision: every file that a shell line names is resolved to real paths
// here, so that the decision itself is pure. The only file of this room that looks at the disk; it opens nothing.

import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { Glob } from "bun";
import type { Access, InnerCommand, PathAccess } from "../conversation/access.ts";
import { realPathOfDeepest } from "../lib/path-inside.ts";

export type NamedPath = PathAccess & { readonly isDirectory: boolean };

/** The files one inner command names. */
export type CommandPaths = {
  readonly reads: readonly NamedPath[];
  readonly writes: readonly NamedPath[];
  /** Folders that its own options send it to: `terraform -chdir=dir`. */
  readonly places: readonly PathAccess[];
  /** Every literal word read as a path: a net for deny rules under what the tables know. */
  readonly words: readonly PathAccess[];
  /** Why some file it names cannot be known before it runs. */
  readonly unresolved?: string;
};

export type PermissionRequest = {
  readonly tool: string;
  readonly access: Access;
  /** One for each inner command, in order; absent for anything but a command. */
  readonly commandPaths?: readonly CommandPaths[];
};

/** Files looked up for one call; a line that names more asks. */
const MAX_NAMED_PATHS = 1_000;
/** Names in /dev that are no files of anyone. */
const DEVICE = /^\/dev\/(null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd\/\d+)$/;
const GLOB_CHARACTERS = /[*?[\]{}]/;
const REMOTE = /^[a-z][a-z0-9+.-]+:\/\//i;

/** Resolves what `access` names. Never throws: what cannot be resolved is said to be so. */
export async function resolveRequest(tool: string, access: Access): Promise<PermissionRequest> {
  if (access.type !== "command") return { tool, access };
  const { commands } = access.analysis;
  const lookup = createLookup(startsOf(commands, access.cwd.path));
  const commandPaths: CommandPaths[] = [];
  for (const command of commands) commandPaths.push(await lookup(command));
  return { tool, access, commandPaths };
}

/** Folders that relative names may start from: the cwd, and wherever a `cd` may have led. `undefined`: not known. */
function startsOf(commands: readonly InnerCommand[], cwd: string): readonly string[] | undefined {
  const starts = new Set([cwd]);
  for (const { argv } of commands) {
    if (argv[0] !== "cd" && argv[0] !== "pushd") continue;
    const operands = argv.slice(1).filter((word) => word === undefined || !/^-[LPe@]$/.test(word));
    if (operands.some((word) => word === undefined || word === "-")) return undefined;
    const target = expandHome(operands[0] ?? "~");
    if (target === undefined || GLOB_CHARACTERS.test(target)) return undefined;
    for (const start of Array.from(starts)) starts.add(resolve(start, target));
    if (starts.size > 64) return undefined;
  }
  return [...starts];
}

/** Folders a command itself is told to start in: `git -C dir`, `terraform -chdir=dir`. */
function toldFolders(command: InnerCommand, starts: readonly string[]): readonly string[] {
  const told = command.argv.flatMap((word, at) => {
    const joined = /^(?:-chdir|--directory|--cwd|--working-dir)=(.+)$/.exec(word ?? "")?.[1];
    const next = word === "-C" || word === "--directory" ? command.argv[at + 1] : undefined;
    return [joined, next].filter((one) => one !== undefined);
  });
  return told.flatMap((dir) => starts.map((start) => resolve(start, expandHome(dir) ?? dir)));
}

function createLookup(
  starts: readonly string[] | undefined,
): (command: InnerCommand) => Promise<CommandPaths> {
  let left = MAX_NAMED_PATHS;
  return async (command) => {
    let unresolved: string | undefined;
    const told = toldFolders(command, starts ?? ["/"]);
    const bases = starts === undefined ? undefined : [...starts, ...told];
    const resolveAll = async (written: readonly string[]): Promise<NamedPath[]> => {
      const found: NamedPath[] = [];
      for (const word of written) {
        const paths = await pathsOf(word, bases, left);
        if (typeof paths === "string") unresolved = paths;
        else {
          for (const path of paths) {
            const described = await describePath(path);
            if (described.exists || isNamed(word, command)) found.push(described);
          }
          left -= paths.length;
        }
      }
      return found;
    };
    const reads = await resolveAll(command.reads);
    const writes = await resolveAll(command.writes);
    const words = await wordPaths(command, bases ?? [], left);
    const places = await Promise.all(
      told.map(async (path) => ({ path, realPath: await realPathOfDeepest(path) })),
    );
    return { reads, writes, places, words, ...(unresolved === undefined ? {} : { unresolved }) };
  };
}

/**
 * False for a file that the analysis only guesses to stand behind a pattern such as `*`: what is there was looked up,
 * so a guess that does not exist says nothing.
 */
function isNamed(word: string, { argv, reads }: InnerCommand): boolean {
  if (/^[/~]|\.\./.test(word) || argv.includes(word)) return true;
  return !reads.some((read) => GLOB_CHARACTERS.test(read));
}

/** Absolute paths that a word may mean, or why they cannot be known. */
async function pathsOf(
  word: string,
  bases: readonly string[] | undefined,
  left: number,
): Promise<readonly string[] | string> {
  if (word === "" || word === "-" || DEVICE.test(word)) return [];
  if (await isRemote(word, bases ?? ["/"])) return [];
  const path = expandHome(word);
  if (path === undefined) return `${word} names another user's home`;
  if (bases === undefined && !path.startsWith("/"))
    return `${word} is relative to a folder known only at run time`;
  const literal = (bases ?? ["/"]).map((base) => resolve(base, path));
  const expanded = GLOB_CHARACTERS.test(path)
    ? await expandGlobs(literal, left - literal.length)
    : [];
  if (literal.length + expanded.length > left) return "it names more files than can be checked";
  return [...new Set([...literal, ...expanded])];
}

/** A URL; `https://x/..` is a path all the same where there is a folder called `https:`. */
async function isRemote(word: string, bases: readonly string[]): Promise<boolean> {
  if (!REMOTE.test(word)) return false;
  const scheme = word.slice(0, word.indexOf("/"));
  for (const base of bases) if ((await describePath(resolve(base, scheme))).exists) return false;
  return true;
}

/** `~` and `~/x` by the home directory; `undefined` for `~user`. */
function expandHome(word: string): string | undefined {
  if (!word.startsWith("~")) return word;
  return word === "~" || word.startsWith("~/") ? homedir() + word.slice(1) : undefined;
}

/** What the shell would put in place of the patterns, at most `limit` + 1 names. */
async function expandGlobs(patterns: readonly string[], limit: number): Promise<string[]> {
  const found: string[] = [];
  for (const pattern of patterns) {
    const segments = pattern.split("/");
    const first = segments.findIndex((segment) => GLOB_CHARACTERS.test(segment));
    const cwd = segments.slice(0, first).join("/") || "/";
    // The shell's `**` without globstar is `*`, which also bounds the walk.
    const rest = segments
      .slice(first)
      .join("/")
      .replaceAll(/\*{2,}/g, "*");
    const dot = rest.split("/").some((segment) => /^[.[{]/.test(segment));
    try {
      for await (const name of new Glob(rest).scan({ cwd, dot, onlyFiles: false })) {
        found.push(resolve(cwd, name));
        if (found.length > limit) return found;
      }
    } catch {
      // The folder is not there or not readable: then the shell finds nothing either.
    }
  }
  return found;
}

async function describePath(path: string): Promise<NamedPath & { readonly exists: boolean }> {
  const realPath = await realPathOfDeepest(path);
  try {
    return { path, realPath, isDirectory: (await stat(realPath)).isDirectory(), exists: true };
  } catch {
    // Not there (yet): then it is no directory that could be read.
    return { path, realPath, isDirectory: false, exists: false };
  }
}

/** Each word but the first, and the parts of `key=value` and `@file` words, as paths. Best effort within the bound. */
async function wordPaths(
  command: InnerCommand,
  bases: readonly string[],
  left: number,
): Promise<PathAccess[]> {
  const parts = command.argv
    .slice(1)
    .flatMap((word) => (word === undefined ? [] : [word, ...word.split(/[=@:,]/).slice(1)]))
    .filter((word) => word !== "" && !word.includes("\n"));
  const found: PathAccess[] = [];
  for (const part of new Set(parts)) {
    const path = expandHome(part);
    if (path === undefined || (await isRemote(part, bases))) continue;
    for (const base of bases) {
      const full = resolve(base, path);
      const realPath = found.length < left ? await realPathOfDeepest(full) : full;
      found.push({ path: full, realPath });
    }
  }
  return found;
}
