// The review itself: look, tell what was found, offer the safe fixes one by one, check again, and say what came of it.

import type { Finding } from "../iac/findings.ts";
import type { FastReport } from "../iac/validate.ts";
import { count } from "../lib/text.ts";
import { describe, tally, toldIn } from "./offline-findings.ts";
import type { OfflineQuestion } from "./offline-intent.ts";
import { PLAN_PATTERN, planCards } from "./offline-plan.ts";
import {
  type Done,
  HOW_TO_CONNECT,
  type OfflineTurn,
  callTools,
  isDenied,
  say,
  sayLast,
} from "./offline-turn.ts";
import type { ModelEvent } from "./provider.ts";

/** Fixes offered in one turn. */
const MAX_FIXES = 10;
/** A second no means no to all. */
const MAX_REFUSALS = 2;

export type ReviewParts = {
  readonly cwd: string;
  readonly question: OfflineQuestion;
  readonly check: () => Promise<FastReport>;
};

type Fixable = Finding & { readonly fix: NonNullable<Finding["fix"]> };
const isFixable = (finding: Finding): finding is Fixable => finding.fix !== undefined;

export async function* review(turn: OfflineTurn, parts: ReviewParts): AsyncGenerator<ModelEvent> {
  const { done } = turn;
  const validated = done.find(({ name }) => name === "iac_validate");
  if (validated === undefined) {
    yield* say("I look at what the project is made of and check it.\n\n");
    return yield callTools(
      ["iac_map", { query: "summary" }],
      ["iac_validate", { level: "fast" }],
      ["glob", { pattern: PLAN_PATTERN }],
    );
  }
  if (isDenied(validated.result))
    return yield* sayLast(`I may not check this project: ${validated.result}\n`);
  const report = await parts.check();
  const hasActed = done.some(({ name }) => name === "read_file");
  if (!hasActed) return yield* tellAndOffer(turn, validated, report, parts);
  yield* fixNext(turn, report);
}

async function* tellAndOffer(
  { done }: OfflineTurn,
  { result }: Done,
  report: FastReport,
  { cwd, question }: ReviewParts,
): AsyncGenerator<ModelEvent> {
  const findings = toldIn(result, report.findings);
  yield* say(`${describe(findings, report.notChecked)}\n`);
  const cards = await planCards(cwd, done.find(({ name }) => name === "glob")?.result ?? "");
  if (cards !== "") yield* say(`A stored plan lies here.\n\n${cards}\n`);
  const all = findings.filter(isFixable);
  const fixes = all.slice(0, MAX_FIXES);
  const files = [...new Set(fixes.map(({ file }) => file))];
  const isOffering = question.mayOffer && question.intent !== "validate";
  if (fixes.length === 0 || !isOffering) {
    const hint =
      all.length === 0
        ? question.intent === "fix" && findings.length > 0
          ? "None of it has a fix that is safe to make by rule.\n\n"
          : ""
        : `${count(all.length, "finding has a safe fix", "findings have a safe fix")}; say "fix" and I offer ${all.length === 1 ? "it" : "them one by one"}.\n\n`;
    return yield* sayLast(`${hint}${HOW_TO_CONNECT}`);
  }
  const some = all.length > fixes.length ? ` (the first ${fixes.length} of ${all.length})` : "";
  yield* say(
    `${count(all.length, "of these has a safe fix", "of these have a safe fix")}. I read ${count(files.length, "file")} and offer ${fixes.length === 1 ? "it" : "them one by one"}${some}.\n\n`,
  );
  yield callTools(...files.map((path) => ["read_file", { path }] as const));
}

const keyOf = (path: unknown, oldText: unknown): string => JSON.stringify([path, oldText]);
const isMade = ({ result }: Done): boolean => result.startsWith("Edited ");

async function* fixNext({ done }: OfflineTurn, report: FastReport): AsyncGenerator<ModelEvent> {
  const read = new Set(
    done.flatMap(({ name, args }) => (name === "read_file" ? [args["path"]] : [])),
  );
  const edits = done.filter(({ name }) => name === "edit_file");
  const tried = new Set(edits.map(({ args }) => keyOf(args["path"], args["old_string"])));
  const refused = edits.filter(({ result }) => isDenied(result));
  // A mode or rule that denies gives its reason behind the sentence, and would deny the next one too.
  const isRefused =
    refused.length >= MAX_REFUSALS ||
    refused.some(({ result }) => result.trim() !== "Permission denied.");
  // Fixes that were made are gone from the findings; what was tried is never tried again.
  const next = report.findings
    .filter(isFixable)
    .find(({ file, fix }) => read.has(file) && !tried.has(keyOf(file, fix.oldText)));
  if (next !== undefined && !isRefused && edits.length < MAX_FIXES) {
    const { file, line, fix } = next;
    yield* say(`${file}:${line} ${fix.title}\n`);
    return yield callTools([
      "edit_file",
      { path: file, old_string: fix.oldText, new_string: fix.newText },
    ]);
  }
  if (edits.some(isMade) && done.at(-1)?.name !== "iac_validate") {
    yield* say("I check again.\n\n");
    return yield callTools(["iac_validate", { level: "fast" }]);
  }
  yield* sayLast(`${outcome(edits, report)}\n\n${HOW_TO_CONNECT}`);
}

function outcome(edits: readonly Done[], { findings }: FastReport): string {
  const made = edits.filter(isMade);
  const refused = edits.filter(({ result }) => isDenied(result));
  const failed = edits.filter((edit) => !isMade(edit) && !refused.includes(edit));
  const lines = [
    made.length === 0
      ? "Nothing was changed"
      : count(made.length, "fix was made", "fixes were made"),
    ...(refused.length === 0 ? [] : [`${refused.length} not allowed`]),
    ...(failed.length === 0 ? [] : [`${failed.length} not possible`]),
  ];
  const reasons = failed.map(
    ({ args, result }) => `\n- ${String(args["path"])}: ${result.split("\n")[0]}`,
  );
  const left = made.length === 0 ? "" : ` Left: ${tally(findings)}.`;
  return `${lines.join(", ")}.${left}${reasons.join("")}`;
}
