// What the system prompt says of the project: a brief of its infrastructure code, and its instruction files.

import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { projectBrief } from "../iac/map/brief.ts";
import { indexProject } from "../iac/map.ts";
import { log } from "../lib/log.ts";
import { truncateAtGrapheme } from "../lib/text.ts";
import { buildSystemPrompt } from "./system-prompt.ts";

const INSTRUCTION_FILE = "AGENTS.md";
/** UTF-16 units of one instruction file, and of all together; what is over is cut and said so. */
const MAX_FILE_LENGTH = 16_000;
const MAX_ALL_LENGTH = 32_000;
/** The brief is a help, not a duty: a huge tree must not hold up the first answer. */
const BRIEF_LIMIT_MS = 1_500;

type Instruction = { readonly path: string; readonly text: string };

async function readInstruction(path: string): Promise<Instruction | undefined> {
  try {
    const text = (await readFile(path, "utf8")).trim();
    if (text === "") return undefined;
    return {
      path,
      text:
        text.length <= MAX_FILE_LENGTH
          ? text
          : `${truncateAtGrapheme(text, MAX_FILE_LENGTH)}\n[cut here]`,
    };
  } catch {
    // Not there or not readable: most folders have none.
    return undefined;
  }
}

/** Files of `cwd` and its parents up to the root, outermost first, the user's own before them all. */
export async function readInstructions(cwd: string, home: string): Promise<Instruction[]> {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (dirname(folder) === folder) break;
  }
  const found = await Promise.all(
    [home, ...folders].map((folder) => readInstruction(join(folder, INSTRUCTION_FILE))),
  );
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
