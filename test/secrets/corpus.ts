// The samples of test/fixtures/secrets and how a masker does on them. `seen.jsonl` is tuned on. `unseen.jsonl` was written
// after the code: when first measured, 7 of its 82 secrets leaked (balanced) and none of 104 harmless values was masked.
// What it showed has been fixed since, so a lower figure today is no estimate for text that nobody has seen.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createMasker } from "../../src/secrets/mask.ts";
import type { Level } from "../../src/secrets/spans.ts";

const FIXTURES = join(import.meta.dir, "..", "fixtures", "secrets");
const sampleSchema = z.object({
  format: z.string(),
  text: z.string(),
  secrets: z.array(z.string()),
  benign: z.array(z.string()).default([]),
  path: z.string().optional(),
  command: z.string().optional(),
});
export type Sample = z.infer<typeof sampleSchema>;

/** Reads a corpus. `¦` stands in the made-up tokens so that no scanner takes them for live ones. */
export function readCorpus(name: "seen" | "unseen"): Sample[] {
  return readFileSync(join(FIXTURES, `${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => sampleSchema.parse(JSON.parse(line.replaceAll("¦", ""))));
}

/** Length of the longest run of `secret` that is still in `text`. */
function longestLeftOver(secret: string, text: string): number {
  let longest = 0;
  for (let start = 0; start + longest < secret.length; start += 1)
    while (
      start + longest < secret.length &&
      text.includes(secret.slice(start, start + longest + 1))
    )
      longest += 1;
  return longest;
}

/** A secret leaks when it, or more than half of it (and 6 characters), is left. */
const leaks = (secret: string, masked: string): boolean =>
  longestLeftOver(secret, masked) >=
  Math.min(secret.length, Math.max(6, Math.ceil(secret.length / 2)));

export type Score = {
  readonly secrets: number;
  readonly leaked: readonly string[];
  readonly benign: number;
  readonly falseAlarms: readonly string[];
};

/** Masks every sample with a masker of its own that knows nothing. */
export function scoreCorpus(samples: readonly Sample[], level: Level = "balanced"): Score {
  const leaked: string[] = [];
  const falseAlarms: string[] = [];
  for (const sample of samples) {
    const { text, path, command } = sample;
    const hint = {
      ...(path === undefined ? {} : { path }),
      ...(command === undefined ? {} : { command }),
    };
    const masked = createMasker({ level }).mask(text, hint);
    for (const secret of sample.secrets)
      if (leaks(secret, masked)) leaked.push(`${sample.format}: ${secret} in ${masked}`);
    for (const benign of sample.benign)
      if (!masked.includes(benign)) falseAlarms.push(`${sample.format}: ${benign} in ${masked}`);
  }
  return {
    secrets: samples.reduce((sum, sample) => sum + sample.secrets.length, 0),
    leaked,
    benign: samples.reduce((sum, sample) => sum + sample.benign.length, 0),
    falseAlarms,
  };
}
