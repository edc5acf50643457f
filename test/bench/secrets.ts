// How well and how fast the secret firewall works: leaks and false alarms on the two corpora, and time per megabyte.

import { createMasker } from "../../src/secrets/mask.ts";
import type { Level } from "../../src/secrets/spans.ts";
import { readCorpus, scoreCorpus } from "../secrets/corpus.ts";

export type Measurement = { readonly name: string; readonly value: number; readonly unit: string };

const MEGABYTE = 1_000_000;
const KNOWN_VALUES = 2_000;
const RUNS = 3;
const LOG_LINE =
  "2026-01-01T00:00:00Z INFO module.vpc.aws_subnet.private[0]: Refreshing state... [id=subnet-0a1b2c]\n";

function figures(corpus: "seen" | "unseen", level: Level): Measurement[] {
  const score = scoreCorpus(readCorpus(corpus), level);
  const name = `secrets: ${corpus}, ${level}`;
  return [
    { name: `${name}, leaked`, value: score.leaked.length, unit: `of ${score.secrets}` },
    { name: `${name}, false alarms`, value: score.falseAlarms.length, unit: `of ${score.benign}` },
  ];
}

function planOf(resources: number): string {
  const change = { actions: ["create"], before: null, after_sensitive: { password: true } };
  const changes = Array.from({ length: resources }, (_, at) => ({
    address: `aws_db_instance.d${at}`,
    type: "aws_db_instance",
    change: { ...change, after: { password: `Pw-${at}-qwe8XZ`, tags: { Name: "n".repeat(300) } } },
  }));
  return JSON.stringify({ terraform_version: "1.11.4", resource_changes: changes });
}

/** Milliseconds per megabyte (10^6 characters), best of three, with 2,000 known values. */
function timePerMegabyte(text: string, how: "whole" | "chunks"): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run += 1) {
    const masker = createMasker({ level: "balanced" });
    masker.addKnown(
      Array.from({ length: KNOWN_VALUES }, (_, at) => ({
        value: `known-${at}-value7`,
        label: "k",
      })),
    );
    const start = performance.now();
    if (how === "whole") masker.mask(text);
    else {
      const stream = masker.stream();
      for (let at = 0; at < text.length; at += 4_096) stream.push(text.slice(at, at + 4_096));
      stream.flush();
    }
    best = Math.min(best, performance.now() - start);
  }
  return Math.round((best * MEGABYTE) / text.length);
}

export function bench(): readonly Measurement[] {
  const samples = readCorpus("seen")
    .map(({ text }) => text)
    .join("\n");
  const repeat = (text: string): string => text.repeat(Math.ceil(MEGABYTE / text.length));
  const time = (name: string, value: number): Measurement => ({
    name: `secrets: ${name}`,
    value,
    unit: "ms/MB",
  });
  return [
    ...(["seen", "unseen"] as const).flatMap((corpus) =>
      (["balanced", "strict"] as const).flatMap((level) => figures(corpus, level)),
    ),
    time("log lines", timePerMegabyte(repeat(LOG_LINE), "whole")),
    time("log lines in chunks", timePerMegabyte(repeat(LOG_LINE), "chunks")),
    time("all samples", timePerMegabyte(repeat(samples), "whole")),
    time("plan JSON", timePerMegabyte(planOf(1_500), "whole")),
  ];
}

if (import.meta.main) for (const row of bench()) console.log(row.name, row.value, row.unit);
