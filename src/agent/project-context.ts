// What the system prompt says of the project: a brief of its infrastructure code, and its instruction files.

import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { projectBrief } from "../iac/map/brief.ts";
import { indexProject } from "../iac/map.ts";
import { log } from "../lib/log.ts";
import { isInside } from "../lib/path-inside.ts";
import { truncateAtGrapheme } from "../lib/text.ts";
import { buildSystemPrompt } from "./system-prompt.ts";

const INSTRUCTION_FILE = "AGENTS.md";
/** UTF-16 units of one instruction file, and of all together; what is over is cut and said so. */
const MAX_FILE_LENGTH = 16_000;
const MAX_ALL_LENGTH = 40_000;
/** Enough for the longest text that is not cut, whatever its alphabet. */
const MAX_FILE_BYTES = 4 * MAX_FILE_LENGTH + 1_024;
/** The brief is a help, not a duty: a huge tree must not hold up the first answer. */
const BRIEF_LIMIT_MS = 1_500;

type Instruction = { readonly path: string; readonly text: string };

/** Text of a regular file that lies in `folder` itself; a link must not carry a file of elsewhere to the model. */
async function readInside(folder: string): Promise<string | undefined> {
  try {
    const [real, base] = await Promise.all([
      realpath(join(folder, INSTRUCTION_FILE)),
      realpath(folder),
    ]);
    if (!isInside(base, real)) return undefined;
    // Without O_NONBLOCK a named pipe would hold the first turn for ever.
    await using file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) return undefined;
    const buffer = Buffer.alloc(MAX_FILE_BYTES);
    const { bytesRead } = await file.read(buffer, 0, MAX_FILE_BYTES, 0);
    return new TextDecoder().decode(buffer.subarray(0, bytesRead));
  } catch {
    // Not there or not readable: most folders have none.
    return undefined;
  }
}

async function readInstruction(folder: string): Promise<Instruction | undefined> {
  const text = (await readInside(folder))?.trim() ?? "";
  if (text === "") return undefined;
  const path = join(folder, INSTRUCTION_FILE);
  if (text.length <= MAX_FILE_LENGTH) return { path, text };
  return { path, text: `${truncateAtGrapheme(text, MAX_FILE_LENGTH)}\n[cut here]` };
}

/** Files of `cwd` and its parents up to the root, outermost first, the user's own before them all. */
export async function readInstructions(cwd: string, home: string): Promise<Instruction[]> {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (dirname(folder) === folder) break;
  }
  const found = await Promise.all([...new Set([home, ...folders])].map(readInstruction));
  const all: Instruction[] = [];
  let left = MAX_ALL_LENGTH;
  // The nearest file matters most, so it is the last to be left out.
  for (const one of found.toReversed()) {
    if (one === undefined || one.text.length > left) continue;
    left -= one.text.length;
    all.unshift(one);
  }
  return all;
}

async function briefOf(cwd: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return projectBrief(
      await indexProject(cwd, AbortSignal.any([signal, AbortSignal.timeout(BRIEF_LIMIT_MS)])),
    );
  } catch (error) {
    log.debug("No project brief", error instanceof Error ? error.message : error);
    return undefined;
  }
}

export type ContextParts = {
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly home: string;
  /** From config.json files, outermost first. */
  readonly configured: readonly Instruction[];
  readonly mask: (text: string) => string;
};

/** The whole system prompt of a session. Never rejects. */
export async function createSystemPrompt(
  { cwd, roots, home, configured, mask }: ContextParts,
  signal: AbortSignal,
): Promise<string> {
  const [brief, instructions] = await Promise.all([
    briefOf(cwd, signal),
    readInstructions(cwd, home),
  ]);
  return mask(
    buildSystemPrompt({
      cwd,
      roots,
      platform: `${process.platform} ${process.arch}`,
      instructions: [...configured, ...instructions],
      ...(brief === undefined ? {} : { brief }),
    }),
  );
}
