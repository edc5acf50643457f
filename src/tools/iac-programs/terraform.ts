// `fmt -check` and `validate` of terraform or tofu. Neither plans, and nothing is downloaded: a module that was never
// initialised is named as not checked.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Finding } from "../../iac/findings.ts";
import type { TerraformModule } from "../../iac/map/project-index.ts";
import { parseJson } from "../../lib/json.ts";
import { bringsProviders } from "./own-code.ts";
import {
  failure,
  findProgram,
  leftOut,
  NOTHING,
  runProgram,
  toProjectPath,
  type ProgramProject,
  type ProgramReport,
} from "./program.ts";
import { validateFurther, type Diagnostic } from "./validate-further.ts";

/** Exit status of `fmt -check` when files are not formatted. */
const UNFORMATTED = 3;
const MAX_VALIDATED_MODULES = 20;

const diagnostics = z.object({
  diagnostics: z.array(
    z.object({
      severity: z.string(),
      summary: z.string(),
      detail: z.string().optional(),
      range: z
        .object({
          filename: z.string(),
          start: z.object({ line: z.number(), column: z.number() }),
        })
        .optional(),
    }),
  ),
});

/** The user's choice, else the version files of the project decide, then what is installed; OpenTofu first. */
export function terraformBinary({
  root,
  env,
  binary,
}: Pick<ProgramProject, "root" | "env" | "binary">): string | undefined {
  if (binary !== undefined) return findProgram(binary, env);
  const order =
    existsSync(join(root, ".terraform-version")) && !existsSync(join(root, ".opentofu-version"))
      ? ["terraform", "tofu"]
      : ["tofu", "terraform"];
  for (const name of order) {
    const found = findProgram(name, env);
    if (found !== undefined) return found;
  }
  return undefined;
}

export async function terraform(project: ProgramProject): Promise<ProgramReport> {
  const modules = project.index.modules.filter(({ files }) =>
    files.some(({ role }) => role === "module"),
  );
  if (modules.length === 0) return NOTHING;
  const binary = terraformBinary(project);
  if (binary === undefined)
    return {
      ...NOTHING,
      notChecked: [
        `formatting and provider schemas: ${project.binary === undefined ? "neither tofu nor terraform is installed" : `iac.binary of config.json names ${project.binary}, which is not installed`}`,
      ],
    };
  const reports = [await format(binary, project)];
  const roots = modules.filter(({ role }) => role === "root");
  // One after another: each starts every provider of its module.
  for (const module of roots.slice(0, MAX_VALIDATED_MODULES))
    reports.push(await validate(binary, module, project));
  const left = roots.length - MAX_VALIDATED_MODULES;
  if (left > 0)
    reports.push({ ...NOTHING, notChecked: [leftOut(left, `${shortName(binary)} validate`)] });
  return {
    ran: reports.flatMap(({ ran }) => ran),
    findings: reports.flatMap(({ findings }) => findings),
    notChecked: reports.flatMap(({ notChecked }) => notChecked),
  };
}

const shortName = (binary: string): string => binary.split("/").at(-1) ?? binary;

async function format(binary: string, project: ProgramProject): Promise<ProgramReport> {
  const name = shortName(binary);
  const argv = [
    binary,
    "fmt",
    "-no-color",
    "-check",
    "-list=true",
    "-diff=false",
    "-recursive",
    ".",
  ];
  const output = await runProgram(argv, project.root, project);
  if (typeof output === "string") return { ...NOTHING, notChecked: [output] };
  // A file that does not parse makes the whole run fail; it is a syntax finding already.
  const known = new Set(
    project.index.modules.flatMap(({ files }) => files.map(({ path }) => path)),
  );
  const hasFaults = project.index.modules.some(({ files }) =>
    files.some(({ hcl }) => hcl.faults.length > 0),
  );
  const isDone = output.exitCode === 0 || output.exitCode === UNFORMATTED || hasFaults;
  if (!isDone) return { ...NOTHING, notChecked: [failure(`${name} fmt`, output)] };
  const findings = output.stdout
    .split("\n")
    .map((line) => toProjectPath(project.root, "", line.trim()))
    .filter((path) => known.has(path))
    .map((file): Finding => ({
      file,
      line: 1,
      column: 1,
      severity: "info",
      code: `${name}:fmt`,
      message: `not in the canonical format; run \`${name} fmt\``,
    }));
  return { ran: [`${name} fmt`], findings, notChecked: [] };
}

/** What is built in needs no `init`: no provider, no module to be fetched. */
function isSelfContained({ declarations, calls }: TerraformModule): boolean {
  return (
    calls.length === 0 &&
    declarations.every(
      ({ kind, block }) =>
        (kind !== "resource" && kind !== "data" && kind !== "ephemeral") ||
        block?.labels[0]?.startsWith("terraform_") === true,
    )
  );
}

async function validate(
  binary: string,
  module: TerraformModule,
  project: ProgramProject,
): Promise<ProgramReport> {
  const { directory } = module;
  const name = shortName(binary);
  const shown = directory === "" ? "." : directory;
  const cwd = join(project.root, directory);
  if (!existsSync(join(cwd, ".terraform")) && !isSelfContained(module))
    return {
      ...NOTHING,
      notChecked: [`provider schemas of ${shown}: it was never initialised (\`${name} init\`)`],
    };
  const brought = await bringsProviders(cwd);
  if (brought !== undefined)
    return { ...NOTHING, notChecked: [`${name} validate of ${shown}: ${brought}`] };
  const output = await runProgram([binary, "validate", "-json", "-no-color"], cwd, project);
  if (typeof output === "string") return { ...NOTHING, notChecked: [output] };
  const parsed = diagnostics.safeParse(parseJson(output.stdout));
  if (!parsed.success) return { ...NOTHING, notChecked: [failure(`${name} validate`, output)] };
  const first = parsed.data.diagnostics;
  const more = await validateFurther(first, { root: project.root, directory }, async (folder) => {
    const again = await runProgram([binary, "validate", "-json", "-no-color"], folder, project);
    return typeof again === "string"
      ? undefined
      : diagnostics.safeParse(parseJson(again.stdout)).data?.diagnostics;
  });
  return {
    ran: [`${name} validate (${shown})`],
    findings: toFindings([...first, ...more], name, directory, project.root),
    notChecked: [],
  };
}

function toFindings(
  all: readonly Diagnostic[],
  name: string,
  directory: string,
  root: string,
): Finding[] {
  return all.map(({ severity, summary, detail, range }) => ({
    file: range === undefined ? directory || "." : toProjectPath(root, directory, range.filename),
    line: range?.start.line ?? 1,
    column: range?.start.column ?? 1,
    severity: severity === "error" ? "error" : "warning",
    code: `${name}:validate`,
    message: [summary, detail?.replaceAll(/\s*\n\s*/g, " ")].filter(Boolean).join(": "),
  }));
}
