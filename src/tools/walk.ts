// The one walk over a tree of files: prunes while it walks, follows no link (so there are no cycles), gives the event
// loop back every few milliseconds, stops at an abort or a limit, and says what it left out.

import { type Dirent, readdirSync } from "node:fs";
import { sep } from "node:path";
import {
  ignoredIn,
  type IgnoreRules,
  isPrunedFolder,
  rulesAbove,
  rulesWithin,
} from "./ignore-rules.ts";

/** Entries of all kinds that one walk looks at. */
const MAX_WALK_ENTRIES = 1_000_000;
const MAX_WALK_MS = 20_000;
/** Files handed over at once. */
const BATCH_FILES = 512;
/** Reading folders blocks: after this long the event loop has its turn. */
const SLICE_MS = 8;

export type WalkOptions = {
  readonly signal: AbortSignal;
  /** Real paths that a deny rule covers. */
  readonly isDenied?: ((realPath: string) => boolean) | undefined;
  readonly maxEntries?: number;
  readonly maxMs?: number;
};

export type FolderEntry = {
  readonly name: string;
  readonly path: string;
  readonly type: "file" | "folder" | "link" | "other";
};

export type FolderListing = {
  /** By name, in code unit order. */
  readonly entries: readonly FolderEntry[];
  /** For the folders below. */
  readonly rules: IgnoreRules;
  /** Pruned or ignored. */
  readonly ignored: number;
  readonly denied: number;
};

export type WalkSummary = {
  readonly files: number;
  readonly denied: number;
  readonly unreadableFolders: number;
  /** Why there may be more; absent when everything was walked. */
  readonly stoppedBy?: "cancelled" | "time" | "entries";
};

export type Walk = {
  /** Regular files, depth first, by name. May be left early. */
  readonly batches: AsyncGenerator<readonly string[], void, void>;
  readonly summary: () => WalkSummary;
};

/** Reads one folder. Throws when it cannot be read. */
export function listFolder(
  folder: string,
  rulesOfParent: IgnoreRules,
  isDenied?: (realPath: string) => boolean,
): FolderListing {
  const entries: FolderEntry[] = [];
  const prefix = prefixOf(folder);
  const { rules, ignored, denied } = visitFolder(folder, rulesOfParent, isDenied, (dirent) =>
    entries.push({ name: dirent.name, path: prefix + dirent.name, type: typeOf(dirent) }),
  );
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { entries, rules, ignored, denied };
}

type Visited = Omit<FolderListing, "entries"> & {
  /** Entries of the folder, whether visited or not. */
  readonly total: number;
};

/** Visits what is neither left out nor denied, in no order. */
function visitFolder(
  folder: string,
  rulesOfParent: IgnoreRules,
  isDenied: ((realPath: string) => boolean) | undefined,
  visit: (dirent: Dirent) => void,
): Visited {
  const dirents = readdirSync(folder, { withFileTypes: true });
  const hasRules = dirents.some((dirent) => dirent.name === ".gitignore");
  const rules = rulesWithin(folder, rulesOfParent, hasRules);
  const isIgnored = ignoredIn(folder, rules);
  const prefix = prefixOf(folder);
  let ignored = 0;
  let denied = 0;
  for (const dirent of dirents) {
    const { name } = dirent;
    const isFolder = dirent.isDirectory();
    if ((isFolder && isPrunedFolder(name, prefix + name)) || isIgnored(name, isFolder)) ignored++;
    else if (isDenied?.(prefix + name)) denied++;
    else visit(dirent);
  }
  return { rules, ignored, denied, total: dirents.length };
}

function prefixOf(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}

function typeOf(dirent: Dirent): FolderEntry["type"] {
  if (dirent.isFile()) return "file";
  if (dirent.isDirectory()) return "folder";
  return dirent.isSymbolicLink() ? "link" : "other";
}

/** Of paths that a walk from `root` hands over: relative to it, with `/`; `""` for the root itself. */
export function insideOf(root: string): (path: string) => string {
  const cut = prefixOf(root).length;
  if (sep === "/") return (path) => path.slice(cut);
  return (path) => path.slice(cut).replaceAll(sep, "/");
}

/** Walks the files below `start`, a real path of a folder. */
export function walkFiles(start: string, options: WalkOptions): Walk {
  const counts = { files: 0, denied: 0, unreadableFolders: 0 };
  let stoppedBy: WalkSummary["stoppedBy"];
  const maxEntries = options.maxEntries ?? MAX_WALK_ENTRIES;
  const deadline = performance.now() + (options.maxMs ?? MAX_WALK_MS);

  async function* batches(): AsyncGenerator<readonly string[], void, void> {
    const open: { readonly path: string; readonly rules: IgnoreRules }[] = [
      { path: start, rules: rulesAbove(start) },
    ];
    let batch: string[] = [];
    let entries = 0;
    let sliceEnd = performance.now() + SLICE_MS;
    const breathe = async () => {
      if (performance.now() < sliceEnd) return;
      await new Promise<void>((resolve) => setImmediate(resolve));
      sliceEnd = performance.now() + SLICE_MS;
    };
    for (let next = open.pop(); next; next = open.pop()) {
      stoppedBy = reasonToStop(entries);
      if (stoppedBy) break;
      const listing = tryList(next.path, next.rules);
      if (!listing) continue;
      const { files, folders, rules } = listing;
      entries += listing.total;
      counts.denied += listing.denied;
      // Deepest and first by name comes off the stack first.
      for (const path of folders.toReversed()) open.push({ path, rules });
      for (const path of files) {
        if (options.signal.aborted) break;
        counts.files++;
        batch.push(path);
        if (batch.length < BATCH_FILES) continue;
        yield batch;
        batch = [];
        await breathe();
      }
      await breathe();
    }
    if (batch.length > 0 && stoppedBy !== "cancelled") yield batch;
  }

  function reasonToStop(entries: number): WalkSummary["stoppedBy"] {
    if (options.signal.aborted) return "cancelled";
    if (performance.now() > deadline) return "time";
    return entries > maxEntries ? "entries" : undefined;
  }

  function tryList(folder: string, rulesOfParent: IgnoreRules) {
    const files: string[] = [];
    const folders: string[] = [];
    try {
      const visited = visitFolder(folder, rulesOfParent, options.isDenied, (dirent) => {
        if (dirent.isFile()) files.push(dirent.name);
        else if (dirent.isDirectory()) folders.push(dirent.name);
      });
      const prefix = prefixOf(folder);
      // In code unit order.
      const pathsOf = (names: string[]) => names.sort().map((name) => prefix + name);
      return { ...visited, files: pathsOf(files), folders: pathsOf(folders) };
    } catch {
      // Not readable, or gone since its parent was read: counted, and told with the result.
      counts.unreadableFolders++;
      return undefined;
    }
  }

  return {
    batches: batches(),
    summary: () => ({ ...counts, ...(stoppedBy === undefined ? {} : { stoppedBy }) }),
  };
}

/** What a walk left out, in sentences; empty when nothing. */
export function walkNotices({ denied, unreadableFolders, stoppedBy }: WalkSummary): string[] {
  const notices: string[] = [];
  if (stoppedBy === "time")
    notices.push(
      `Stopped after ${MAX_WALK_MS / 1_000} s: the result is partial. Give a narrower path.`,
    );
  if (stoppedBy === "entries")
    notices.push(
      `Stopped after ${MAX_WALK_ENTRIES.toLocaleString("en")} entries: the result is partial. Give a narrower path.`,
    );
  if (stoppedBy === "cancelled") notices.push("Cancelled: the result is partial.");
  if (denied > 0) notices.push(`Left out by a deny rule: ${denied}.`);
  if (unreadableFolders > 0) notices.push(`Folders that could not be read: ${unreadableFolders}.`);
  return notices;
}
