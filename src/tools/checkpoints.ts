// What files held before a turn first wrote to them, kept beside the session's outputs so that /undo can bring them back,
// also after a restart. Covers write_file and edit_file; what commands write is not seen here. Bounded.

import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { PathAccess } from "../conversation/access.ts";
import { parseJson } from "../lib/json.ts";
import { lazily } from "../lib/lazily.ts";
import { describeFileError } from "./disk-file.ts";
import { stampBytes } from "./file-stamp.ts";

/** Larger files are not kept. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Of all turns of a session together; the oldest turns are forgotten first. */
const MAX_SESSION_BYTES = 64 * 1024 * 1024;
const MAX_TURNS = 100;
const INDEX = "index.jsonl";
/** Turns are numbered in names that sort. */
const NAME_DIGITS = 8;

const entry = lazily(() =>
  z.discriminatedUnion("type", [
    z.object({
      type: z.literal("before"),
      path: z.string(),
      realPath: z.string(),
      /** Name of the kept bytes; `null` for a file that was not there. */
      kept: z.string().regex(/^\d+$/).nullable(),
    }),
    /** What the turn left: SHA-256 of its bytes. */
    z.object({ type: z.literal("after"), realPath: z.string(), hash: z.string() }),
  ]),
);
type Entry = z.infer<ReturnType<typeof entry>>;

export type KeptFile = PathAccess & {
  /** Absent: the file was not there. */
  readonly before?: Uint8Array;
  /** SHA-256 of what the turn left at one time or another; anything else was written by somebody else. */
  readonly after: ReadonlySet<string>;
};

/** What one turn changed. */
export type Checkpoint = { readonly folder: string; readonly files: readonly KeptFile[] };

export class Checkpoints {
  readonly #root: string;
  /** Of the turn that runs; made at its first write. */
  #folder: string | undefined;
  readonly #files = new Map<string, boolean>();

  /** `root` is a folder of this session alone; made on first use, mode 0700. */
  constructor(root: string) {
    this.#root = root;
  }

  beginTurn(): void {
    this.#folder = undefined;
    this.#files.clear();
  }

  /** Call before each write. The first of a file in a turn keeps `before`; a sentence says why it could not be kept. */
  async keep(target: PathAccess, before: Uint8Array | undefined): Promise<string | undefined> {
    const { path, realPath } = target;
    if (this.#files.has(realPath)) return undefined;
    this.#files.set(realPath, false);
    try {
      const fault = await this.#fault(before?.byteLength ?? 0);
      if (fault !== undefined) return `/undo cannot restore it: ${fault}.`;
      const folder = await this.#open();
      const kept = before === undefined ? null : String(this.#files.size);
      if (before !== undefined && kept !== null)
        await writeFile(join(folder, kept), before, { mode: 0o600, flag: "wx" });
      await append(folder, { type: "before", path, realPath, kept });
      this.#files.set(realPath, true);
      return undefined;
    } catch (error) {
      return `/undo cannot restore it: its old content could not be kept (${describeFileError(error)}).`;
    }
  }

  /** Notes the hash of what the turn is about to leave in the file, or has left. Never rejects. */
  async leaves(realPath: string, hash: string): Promise<void> {
    if (this.#folder === undefined || this.#files.get(realPath) !== true) return;
    try {
      await append(this.#folder, { type: "after", realPath, hash });
    } catch {
      // Undo will take the file for changed by somebody else and leave it, which loses nothing.
    }
  }

  /** Commands of the same turn, a formatter for example, may have written to its files after the tools did. */
  async endTurn(): Promise<void> {
    for (const realPath of this.#files.keys()) {
      try {
        await this.leaves(realPath, stampBytes(await readFile(realPath)).hash);
      } catch {
        // It is gone, or no longer readable: then undo compares with what the tools wrote.
      }
    }
    this.beginTurn();
  }

  /** The newest turn that wrote files and was not undone. */
  async last(): Promise<Checkpoint | undefined> {
    for (const name of (await this.#names()).toReversed()) {
      const folder = join(this.#root, name);
      const files = await readCheckpoint(folder);
      if (files.length > 0) return { folder, files };
    }
    return undefined;
  }

  async forget({ folder }: Checkpoint): Promise<void> {
    await rm(folder, { recursive: true, force: true });
  }

  /** Oldest first. */
  async #names(): Promise<readonly string[]> {
    try {
      return (await readdir(this.#root)).filter((name) => /^\d+$/.test(name)).toSorted();
    } catch {
      // Nothing was ever kept.
      return [];
    }
  }

  async #open(): Promise<string> {
    if (this.#folder !== undefined) return this.#folder;
    const number = Number((await this.#names()).at(-1) ?? 0) + 1;
    const folder = join(this.#root, String(number).padStart(NAME_DIGITS, "0"));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    return folder;
  }

  /** Makes room for `bytes` more, or says why there is none. */
  async #fault(bytes: number): Promise<string | undefined> {
    if (bytes > MAX_FILE_BYTES) return "it was larger than 8 MiB before this turn";
    const older = [...(await this.#names())].filter(
      (name) => join(this.#root, name) !== this.#folder,
    );
    const sizes = await Promise.all(older.map((name) => sizeOf(join(this.#root, name))));
    let total = bytes + sizes.reduce((sum, size) => sum + size, 0);
    if (this.#folder !== undefined) total += await sizeOf(this.#folder);
    for (const [index, name] of older.entries()) {
      if (total <= MAX_SESSION_BYTES && older.length - index < MAX_TURNS) break;
      await rm(join(this.#root, name), { recursive: true, force: true });
      total -= sizes[index] ?? 0;
    }
    return total > MAX_SESSION_BYTES
      ? "this turn has changed more than 64 MiB of files"
      : undefined;
  }
}

function append(folder: string, line: Entry): Promise<void> {
  return appendFile(join(folder, INDEX), `${JSON.stringify(line)}\n`, { mode: 0o600 });
}

async function sizeOf(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Whatever of it is whole: the last line may be half written after a kill. */
async function readCheckpoint(folder: string): Promise<readonly KeptFile[]> {
  const lines = await readLines(join(folder, INDEX));
  const files: KeptFile[] = [];
  for (const line of lines) {
    if (line.type !== "before") continue;
    const { path, realPath, kept } = line;
    const hashes = lines.flatMap((one) =>
      one.type === "after" && one.realPath === realPath ? [one.hash] : [],
    );
    const before = kept === null ? undefined : await readFile(join(folder, kept));
    files.push({
      path,
      realPath,
      after: new Set(hashes),
      ...(before === undefined ? {} : { before }),
    });
  }
  return files;
}

async function readLines(file: string): Promise<readonly Entry[]> {
  try {
    return (await readFile(file, "utf8")).split("\n").flatMap((text) => {
      const parsed = entry().safeParse(parseJson(text));
      return parsed.success ? [parsed.data] : [];
    });
  } catch {
    // A turn that was killed before its first line: nothing of it was written either.
    return [];
  }
}
