// Reads the corpus of command lines; shared by the tests and the bench.

import { join } from "node:path";
import { z } from "zod";
import { COMMAND_CLASSES } from "../../src/shell/analysis.ts";

const Row = z.object({
  command: z.string(),
  class: z.enum(COMMAND_CLASSES),
  disguised: z.boolean().optional(),
  /** Classing it higher is accepted, for the reason in `note`. */
  over: z.boolean().optional(),
  note: z.string().optional(),
});
export type CorpusRow = z.infer<typeof Row>;

/** Where and with which environment the corpus's lines start. */
export const CORPUS_OPTIONS = {
  cwd: "/srv/project",
  env: { HOME: "/home/u", PATH: "/usr/bin:/bin" },
};

export async function readCorpus(): Promise<readonly CorpusRow[]> {
  const text = await Bun.file(join(import.meta.dir, "../fixtures/shell/corpus.jsonl")).text();
  return text
    .trim()
    .split("\n")
    .map((line) => Row.parse(JSON.parse(line)));
}
