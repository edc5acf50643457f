// iac-code review: a plan, a change of the code or the project itself, judged without a model. For CI: the verdict is the
// exit code. What was found is decided in iac/ and tools/; here it is read in and written out.

import { readFile, realpath } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { type Finding, formatFinding } from "../iac/findings.ts";
import { indexProject } from "../iac/map.ts";
import { cardFindings } from "../iac/plan/card-findings.ts";
import type { PlanCard, Verdict } from "../iac/plan/card.ts";
import { locatorOf } from "../iac/plan/locate.ts";
import { renderCard } from "../iac/plan/render.ts";
import { toSarif } from "../iac/sarif.ts";
import { fastValidate } from "../iac/validate.ts";
import { VERSION } from "../lib/version.ts";
import { diffCode } from "../tools/plan-diff.ts";
import { reportText } from "../tools/iac-validate.ts";
import { storedCard } from "../tools/plan-stored.ts";
import { type CliArgs, defineCli, EXIT, textOf } from "./command.ts";

/** A wrong call is 1 like any other failure: 2 and 3 are verdicts. */
const EXIT_OF: Readonly<Record<Verdict, number>> = { safe: EXIT.ok, review: 2, danger: 3 };
/** Findings listed beside a card in Markdown; the other forms hold all. */
const MAX_LISTED = 200;
const FORMATS = ["markdown", "sarif", "json"] as const;

type Review = {
  readonly verdict: Verdict;
  readonly markdown: string;
  readonly findings: readonly Finding[];
  /** Beside the verdict and the findings in the JSON form. */
  readonly card?: PlanCard;
};

export const review = defineCli({
  name: "review",
  usageExit: EXIT.error,
  summary: "judge a plan, a change or the project, without a model",
  details:
    "--plan FILE reads `terraform show -json` output, a CloudFormation change set, a ROS preview, or the text of `kubectl diff` or `helm diff` (- is stdin). --diff compares the code with a commit. Neither: the project's own findings. Exit 0 safe, 2 review, 3 danger, 1 error.",
  args: {
    plan: { type: "string", valueHint: "FILE", description: "a stored plan; - for stdin" },
    diff: { type: "boolean", default: false, description: "compare the code with --base" },
    base: { type: "string", valueHint: "REF", description: "the commit of --diff (default HEAD)" },
    format: {
      type: "enum",
      options: [...FORMATS],
      default: "markdown",
      description: FORMATS.join(", "),
    },
    cwd: { type: "string", valueHint: "DIR", description: "the project (default: this directory)" },
  },
  run: async (args, signal) => {
    const root = await realpath(resolve(textOf(args, "cwd") ?? "."));
    const result = await judge(args, root, signal);
    if (signal.aborted) return EXIT.cancelled;
    process.stdout.write(`${toText(result, textOf(args, "format") ?? "markdown")}\n`);
    return EXIT_OF[result.verdict];
  },
});

async function judge(args: CliArgs, root: string, signal: AbortSignal): Promise<Review> {
  const plan = textOf(args, "plan");
  const base = textOf(args, "base");
  const isDiff = args["diff"] === true;
  if (plan !== undefined && isDiff) throw new Error("Give --plan or --diff, not both");
  if (base !== undefined && !isDiff) throw new Error("--base belongs to --diff");
  if (plan !== undefined) return reviewPlan(plan, root, signal);
  return isDiff ? reviewDiff(base ?? "HEAD", root, signal) : reviewProject(root, signal);
}

async function reviewPlan(file: string, root: string, signal: AbortSignal): Promise<Review> {
  const card = storedCard(file === "-" ? await Bun.stdin.bytes() : await readFile(file));
  if (typeof card === "string") throw new Error(`${file}: ${card}`);
  const index = await indexProject(root, signal);
  const findings = cardFindings(card, {
    file: file === "-" ? "plan.json" : relative(root, resolve(file)),
    locate: locatorOf(index, ""),
  });
  return { verdict: card.verdict, markdown: renderCard(card), findings, card };
}

async function reviewDiff(base: string, root: string, signal: AbortSignal): Promise<Review> {
  const compared = await diffCode(root, { root, base, signal });
  if (!compared.ok) throw new Error(`Cannot compare with ${base}: ${compared.why}`);
  const { card, places } = compared.diff;
  const own = cardFindings(card, { file: ".", locate: (address) => places.get(address) });
  // What the checks say of the changed files is shown beside; the verdict is that of the change alone.
  const report =
    compared.files.length === 0
      ? undefined
      : await fastValidate(root, { paths: compared.files }, signal);
  const findings = report?.findings ?? [];
  const markdown = [renderCard(card), ...listText(findings)].join("\n\n");
  return { verdict: card.verdict, markdown, findings: [...own, ...findings], card };
}

function listText(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  const rows = findings.slice(0, MAX_LISTED).map((finding) => `- ${formatFinding(finding)}`);
  const more = findings.length - rows.length;
  if (more > 0) rows.push(`- … and ${more} more`);
  return [`### In the changed files (${findings.length})\n${rows.join("\n")}`];
}

async function reviewProject(root: string, signal: AbortSignal): Promise<Review> {
  const report = await fastValidate(root, {}, signal);
  const has = (severity: Finding["severity"]) =>
    report.findings.some((finding) => finding.severity === severity);
  const verdict: Verdict = has("error") ? "danger" : has("warning") ? "review" : "safe";
  const markdown = `## Review: ${verdict}\n\n${reportText(report)
    .split("\n")
    .map((line) => `- ${line}`)
    .join("\n")}`;
  return { verdict, markdown, findings: report.findings };
}

function toText({ verdict, markdown, findings, card }: Review, format: string): string {
  switch (format) {
    case "sarif":
      return JSON.stringify(toSarif(findings, { toolVersion: VERSION }), null, 2);
    case "json":
      return JSON.stringify(
        { verdict, ...(card === undefined ? {} : { card }), findings },
        null,
        2,
      );
    default:
      return markdown;
  }
}
