// iac_validate: what is wrong with the project's infrastructure code, with file and line. Changes nothing.

import { join, relative, sep } from "node:path";
import { z } from "zod";
import { formatFinding, type Finding } from "../iac/findings.ts";
import { indexProject } from "../iac/map.ts";
import type { Verdict } from "../iac/plan/card.ts";
import { fastValidate, type FastReport } from "../iac/validate.ts";
import { isInside } from "../lib/path-inside.ts";
import { count } from "../lib/text.ts";
import { cancelled, codeContent } from "./answers.ts";
import { fullValidate, type FullReport } from "./iac-programs/full-validate.ts";
import { cacheDirOf, knownSchemas } from "./iac-programs/provider-schemas.ts";
import { toAccess, toToolPath } from "./tool-path.ts";
import { defineTool, type ToolContext, type ToolPlace, type ToolResult } from "./tool.ts";

const MAX_FINDINGS = 500;
const MAX_PATHS = 100;
const MAX_LOCATIONS = 50;

export const iacValidate = defineTool({
  name: "iac_validate",
  kind: "read",
  description:
    "Check the infrastructure code of the project: Terraform and OpenTofu, CloudFormation, ROS, Kubernetes. Level fast (in process, under a second): syntax, undeclared and unused names across files, duplicates, module arguments and outputs, arguments and properties that a type does not have (IAC-SCHEMA), template references, manifest shape, security and cost rules (IAC-*). Level full also runs what is installed: fmt -check, validate, cfn-lint, tflint, kubeconform, ansible-lint, checkov, trivy. One line a finding, and what was not checked and why. `# iac-code:ignore CODE reason` on or above a line silences a code there.",
  args: z.object({
    paths: z
      .array(z.string())
      .max(MAX_PATHS)
      .optional()
      .describe("Files or folders to report on. Default: the whole working directory."),
    level: z.enum(["fast", "full"]).default("fast"),
  }),
  open: async ({ paths, level }, place) => {
    const selected = paths === undefined ? undefined : await selectPaths(paths, place);
    if (typeof selected === "string") return selected;
    const root = await toToolPath(".", place);
    if (typeof root === "string") return root;
    const subject = paths === undefined || paths.length === 0 ? "" : ` ${paths.join(", ")}`;
    return {
      title: `Validate${subject || " the project"}${level === "full" ? " (full)" : ""}`,
      access: { type: "read", paths: [toAccess(root)] },
      execute: (context) => run(root.realPath, selected, level, context),
    };
  },
});

/** Relative to the working directory, as findings name files. A string is an error text for the model. */
async function selectPaths(
  paths: readonly string[],
  place: ToolPlace,
): Promise<readonly string[] | undefined | string> {
  const selected: string[] = [];
  for (const written of paths) {
    const target = await toToolPath(written, place);
    if (typeof target === "string") return target;
    const cwd = await toToolPath(".", place);
    if (typeof cwd === "string") return cwd;
    if (!isInside(cwd.realPath, target.realPath))
      return `paths: ${written} lies outside of the working directory, which is what iac_validate reads.`;
    selected.push(relative(cwd.realPath, target.realPath).split(sep).join("/"));
  }
  return selected.length === 0 ? undefined : selected;
}

async function run(
  root: string,
  paths: readonly string[] | undefined,
  level: "fast" | "full",
  context: ToolContext,
): Promise<ToolResult> {
  const { signal, isPathDenied, settings } = context;
  try {
    const index = await indexProject(
      root,
      signal,
      isPathDenied === undefined ? {} : { isDenied: isPathDenied },
    );
    const openSchema = knownSchemas({ root, cacheDir: cacheDirOf(context) });
    const options = { index, openSchema, ...(paths === undefined ? {} : { paths }) };
    const { iacBinary: binary } = settings;
    const project = { root, index, signal, env: process.env, openSchema };
    const report =
      level === "full"
        ? await fullValidate({ ...project, ...(binary === undefined ? {} : { binary }) }, paths)
        : await fastValidate(root, options, signal);
    return toResult(report, root);
  } catch (error) {
    // Aborting is the one way that the checks reject; anything else is a defect of ours and flies on.
    if (!signal.aborted) throw error;
    return cancelled();
  }
}

function toResult(report: FastReport | FullReport, root: string): ToolResult {
  const text = reportText(report);
  const shown = report.findings.slice(0, MAX_LOCATIONS);
  return {
    ok: true,
    text,
    content: codeContent(text),
    rawOutput: {
      errors: countOf(report.findings, "error"),
      warnings: countOf(report.findings, "warning"),
      infos: countOf(report.findings, "info"),
      ignored: report.ignored,
    },
    locations: shown.map(({ file, line }) => ({ path: join(root, file), line })),
  };
}

const countOf = (findings: readonly Finding[], severity: Finding["severity"]): number =>
  findings.filter((finding) => finding.severity === severity).length;

/** Nothing where there is none: a zero in a summary only costs reading. */
const named = (n: number, noun: string, plural?: string): string[] =>
  n === 0 ? [] : [count(n, noun, plural)];

/**
 * What a text of `reportText` comes to: any error is danger, any warning asks for a review. `undefined`: the text is of
 * something else, such as a call that was refused.
 */
export function verdictOf(report: string): Verdict | undefined {
  if (report.startsWith("nothing found")) return "safe";
  const [counts] = /^\d+ (?:errors?|warnings?|info)\b[^(]*/.exec(report) ?? [];
  if (counts === undefined) return undefined;
  if (/\d errors?\b/.test(counts)) return "danger";
  return /\d warnings?\b/.test(counts) ? "review" : "safe";
}

/** The whole answer: a line of summary, the findings, what was not checked. */
export function reportText(report: FastReport | FullReport): string {
  const { findings, checked, notChecked, ignored } = report;
  const lines = findings.slice(0, MAX_FINDINGS).map(formatFinding);
  if (findings.length > MAX_FINDINGS)
    lines.push(
      `[${findings.length - MAX_FINDINGS} more findings are left out; give paths to see those of a file or folder]`,
    );
  const terraform = `${count(checked.terraformFiles, "Terraform file")} in ${count(checked.modules, "module")}`;
  const files = [
    ...(checked.terraformFiles > 0 || checked.templates === 0 ? [terraform] : []),
    ...(checked.templates > 0 ? [count(checked.templates, "template")] : []),
  ].join(" and ");
  const result =
    [
      ...named(countOf(findings, "error"), "error"),
      ...named(countOf(findings, "warning"), "warning"),
      ...named(countOf(findings, "info"), "info", "info"),
    ].join(", ") || "nothing found";
  const silenced = ignored === 0 ? "" : `, ${ignored} silenced by iac-code:ignore`;
  return [
    `${result}${silenced} (${files})`,
    ...("ran" in report ? [`Ran: ${report.ran.join(", ") || "no program"}`] : []),
    ...lines,
    ...notChecked.map((line) => `Not checked: ${line}`),
  ].join("\n");
}
