// Which files of a tree may be infrastructure code. Prunes while walking, follows no link, and stops at its budget.

import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { isInside } from "../../lib/path-inside.ts";

/** Versioned data of tools and dependencies: never the user's own code. */
const PRUNED = new Set([
  ".git",
  ".hg",
  ".svn",
  ".terraform",
  ".terragrunt-cache",
  ".terragrunt-stack",
  ".venv",
  ".aws-sam",
  "cdk.out",
  "node_modules",
  "__pycache__",
]);
/** Where the local backend keeps a directory for each workspace. */
const STATES = "terraform.tfstate.d";
const INTERESTING = /\.(?:tf|tofu|tf\.json|tofu\.json|tfvars|hcl|ya?ml|json|bicep|template)$/i;
const MAX_DEPTH = 32;

export type Budget = {
  /** Directory entries looked at; default 100,000. */
  readonly maxEntries: number;
  /** Files read; default 10,000. */
  readonly maxFiles: number;
  /** Bytes of one file; default 2 MiB. */
  readonly maxFileBytes: number;
  /** Bytes of all files together; default 64 MiB. */
  readonly maxTotalBytes: number;
  /** Default 10,000. */
  readonly maxMs: number;
};

export const DEFAULT_BUDGET: Budget = {
  maxEntries: 100_000,
  maxFiles: 10_000,
  maxFileBytes: 2 * 1024 * 1024,
  maxTotalBytes: 64 * 1024 * 1024,
  maxMs: 10_000,
};

export type Walk = {
  /** Relative to the root, forward slashes, sorted. */
  readonly files: readonly string[];
  /** The real paths of those files that are links. */
  readonly realPaths: ReadonlyMap<string, string>;
  /** Directories that hold the states of local workspaces; their files are never read. */
  readonly stateDirectories: readonly string[];
  /** What was not entered or is not read: pruned directories, linked ones, files linked from outside, denied files. */
  readonly unread: readonly string[];
  /** What was left out, for people. */
  readonly notices: readonly string[];
  /** The budget ended it. */
  readonly isCut: boolean;
};

type State = {
  entries: number;
  isCut: boolean;
  readonly files: string[];
  readonly unread: string[];
  readonly stateDirectories: string[];
  readonly links: string[];
  readonly notices: Set<string>;
};

/** Names of the workspaces below a state directory; none when it cannot be listed. */
export async function workspacesIn(root: string, stateDirectory: string): Promise<string[]> {
  try {
    const entries = await readdir(join(root, stateDirectory), { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .toSorted();
  } catch {
    // Unreadable or gone: the summary then names no workspace.
    return [];
  }
}

/** Modules often share a file by a link; one to a file of the project itself is read, any other link is not. */
async function fileInside(root: string, link: string): Promise<string | undefined> {
  if (!INTERESTING.test(link)) return undefined;
  try {
    const [realRoot, target] = await Promise.all([realpath(root), realpath(join(root, link))]);
    return isInside(realRoot, target) && (await stat(target)).isFile() ? target : undefined;
  } catch {
    // A broken link is no file.
    return undefined;
  }
}

/** Rejects only when `signal` aborts; what cannot be listed becomes a notice. */
export async function walkTree(root: string, signal: AbortSignal, budget: Budget): Promise<Walk> {
  const state: State = {
    entries: 0,
    isCut: false,
    files: [],
    unread: [],
    stateDirectories: [],
    links: [],
    notices: new Set(),
  };
  const endsAt = performance.now() + budget.maxMs;
  const queue: { path: string; depth: number }[] = [{ path: "", depth: 0 }];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    signal.throwIfAborted();
    if (performance.now() > endsAt) {
      state.isCut = true;
      state.notices.add(
        `The walk was ended after ${budget.maxMs} ms; later directories are missing`,
      );
      break;
    }
    const below = await listDirectory(root, next.path, state, budget);
    if (below.length === 0) continue;
    if (next.depth + 1 > MAX_DEPTH)
      state.notices.add(`Directories deeper than ${MAX_DEPTH} levels are missing`);
    else queue.push(...below.map((path) => ({ path, depth: (next?.depth ?? 0) + 1 })));
  }
  const realPaths = new Map<string, string>();
  for (const link of state.links) {
    const target = await fileInside(root, link);
    if (target === undefined) state.unread.push(link);
    else {
      state.files.push(link);
      realPaths.set(link, target);
    }
  }
  const { unread, stateDirectories, notices } = state;
  const files = state.files.toSorted();
  return { files, realPaths, unread, stateDirectories, notices: [...notices], isCut: state.isCut };
}

async function listDirectory(
  root: string,
  path: string,
  state: State,
  budget: Budget,
): Promise<string[]> {
  const below: string[] = [];
  let entries;
  try {
    entries = await readdir(join(root, path), { withFileTypes: true });
  } catch {
    // Unreadable or gone meanwhile: said, and the rest is indexed.
    state.notices.add(`Cannot list ${path === "" ? "." : path}`);
    return below;
  }
  for (const entry of entries) {
    if (++state.entries > budget.maxEntries || state.files.length >= budget.maxFiles) {
      state.isCut = true;
      state.notices.add("The project is larger than the index takes; some files are missing");
      return [];
    }
    const child = path === "" ? entry.name : `${path}/${entry.name}`;
    if (PRUNED.has(entry.name)) state.unread.push(child);
    else if (entry.isSymbolicLink()) state.links.push(child);
    else if (entry.isDirectory() && entry.name === STATES) state.stateDirectories.push(child);
    else if (entry.isDirectory()) below.push(child);
    else if (entry.isFile() && INTERESTING.test(entry.name)) state.files.push(child);
  }
  return below;
}
