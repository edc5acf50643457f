// The transcripts in the documents are what the program really says.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { renderTranscripts } from "../support/transcript-docs.ts";

test("docs/transcripts and the README's transcript are current; `bun test/support/transcript-docs.ts` writes them", async () => {
  for (const { path, text } of await renderTranscripts())
    expect([path, readFileSync(join(import.meta.dir, "../..", path), "utf8")]).toEqual([
      path,
      text,
    ]);
});
