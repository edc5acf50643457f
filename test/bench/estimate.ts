// How far the token estimate is off, on the kinds of text a session consists of: against counts that were taken once with
// the o200k and cl100k tokenizers of OpenAI, raw, and corrected by one report on the first half of each text.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createCalibration, estimateTokens } from "../../src/agent/estimate.ts";
import { CHINESE, COMPACT_JSON, HCL, PLAN_JSON, PROSE, SHELL } from "../agent/token-samples.ts";
import { type Row, statsOf } from "./row.ts";

/** Tokens of the whole text, and of its first half. */
export const COUNTS = [
  ["HCL", HCL, { o200k: [393, 200], cl100k: [397, 203] }],
  ["JSON over many lines", PLAN_JSON, { o200k: [768, 384], cl100k: [764, 382] }],
  ["JSON on one line", COMPACT_JSON, { o200k: [490, 241], cl100k: [480, 236] }],
  ["prose", PROSE, { o200k: [165, 84], cl100k: [169, 86] }],
  ["Chinese", CHINESE, { o200k: [163, 80], cl100k: [222, 108] }],
  ["command output", SHELL, { o200k: [1154, 588], cl100k: [1153, 588] }],
] as const;
/** Files of this repository that the weights were not fitted to, with their length when they were counted. */
const UNSEEN = [
  ["examples/terraform/database.tf", 931, { o200k: 245, cl100k: 239 }],
  ["examples/terraform/network.tf", 1718, { o200k: 491, cl100k: 476 }],
  ["examples/terraform/storage.tf", 953, { o200k: 249, cl100k: 248 }],
  ["examples/terraform/variables.tf", 883, { o200k: 227, cl100k: 226 }],
  ["examples/kubernetes/web.yaml", 1647, { o200k: 416, cl100k: 416 }],
  ["examples/cloudformation/api.yaml", 1742, { o200k: 440, cl100k: 441 }],
  ["examples/cloudformation/network.yaml", 1782, { o200k: 538, cl100k: 554 }],
  ["examples/ros/network.yml", 1586, { o200k: 530, cl100k: 539 }],
  ["examples/terraform/README.md", 867, { o200k: 207, cl100k: 206 }],
  ["test/fixtures/plans/aws.json", 8865, { o200k: 2669, cl100k: 2684 }],
  ["test/fixtures/plans/terraform-data.json", 21474, { o200k: 6387, cl100k: 6362 }],
  ["test/fixtures/plans/kubectl.diff", 1326, { o200k: 505, cl100k: 501 }],
] as const;
/** Percent. */
const BOUND = 15;
const ROUNDS = 20;

const offBy = (estimated: number, real: number): number => Math.abs(estimated / real - 1) * 100;

/** Files that have changed since they were counted say nothing and are left out. */
function unseen(): { readonly text: string; readonly o200k: number; readonly cl100k: number }[] {
  return UNSEEN.flatMap(([path, length, counts]) => {
    const text = readFileSync(join(import.meta.dir, "../..", path), "utf8");
    return text.length === length ? [{ text, ...counts }] : [];
  });
}

function corrected(text: string, half: number): number {
  const calibration = createCalibration();
  calibration.learn({ estimated: estimateTokens(text.slice(0, text.length / 2)), reported: half });
  return calibration.apply(estimateTokens(text));
}

export async function bench(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const tokenizer of ["o200k", "cl100k"] as const) {
    const raw = COUNTS.map(([, text, counts]) => offBy(estimateTokens(text), counts[tokenizer][0]));
    const learnt = COUNTS.map(([, text, counts]) =>
      offBy(corrected(text, counts[tokenizer][1]), counts[tokenizer][0]),
    );
    COUNTS.forEach(([name], index) => {
      const value = raw[index] ?? Number.NaN;
      rows.push({
        name: `${tokenizer}, ${name}`,
        unit: "% off",
        median: value,
        min: value,
        max: value,
      });
    });
    const estimated = COUNTS.reduce((sum, [, text]) => sum + estimateTokens(text), 0);
    const real = COUNTS.reduce((sum, [, , counts]) => sum + counts[tokenizer][0], 0);
    const mixed = offBy(estimated, real);
    rows.push({
      name: `${tokenizer}, all mixed`,
      unit: "% off",
      median: mixed,
      min: mixed,
      max: mixed,
      bound: BOUND,
    });
    const files = unseen();
    const told = files.reduce((sum, { text }) => sum + estimateTokens(text), 0);
    const counted = files.reduce((sum, file) => sum + file[tokenizer], 0);
    const offs = files.map((file) => offBy(estimateTokens(file.text), file[tokenizer]));
    const name = `${tokenizer}, ${files.length} unseen files, mixed (min, max: single ones)`;
    rows.push({
      name,
      unit: "% off",
      ...statsOf(offs),
      median: offBy(told, counted),
      bound: BOUND,
    });
    const worst = Math.max(...learnt);
    rows.push({
      name: `${tokenizer}, after one report`,
      unit: "% off",
      ...statsOf(learnt),
      median: worst,
      bound: BOUND,
    });
  }
  const text = COUNTS.map(([, sample]) => sample)
    .join("\n")
    .repeat(100);
  const times = Array.from({ length: ROUNDS }, () => {
    const started = performance.now();
    estimateTokens(text);
    return ((performance.now() - started) * 1e6) / text.length;
  });
  rows.push({ name: "time a character", unit: "ns", ...statsOf(times) });
  return rows;
}

if (import.meta.main) console.table(await bench());
