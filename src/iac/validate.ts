// The fast validation: everything that can be said of a project's texts in process, without any tool installed.
// Joins the HCL checks, the checks of CloudFormation, ROS and Kubernetes, and the rules.

import { validateDocuments } from "./documents.ts";
import { sortFindings, type Finding } from "./findings.ts";
import { parseHcl } from "./hcl/parse.ts";
import type { HclFile } from "./hcl/tree.ts";
import { indexProject } from "./map.ts";
import type { OtherFile, ProjectIndex, TerraformFile } from "./map/project-index.ts";
import { runRules } from "./rules/engine/run-rules.ts";
import { openBundled } from "./schema/bundled.ts";
import { checkArguments, type OpenSchema } from "./schema/check-arguments.ts";
import { SOURCE_OF, type TemplateSchemas } from "./schema/check-properties.ts";
import { checkBlocks } from "./validate/blocks.ts";
import { withoutIgnored } from "./validate/ignores.ts";
import { checkLockFile } from "./validate/lock-file.ts";
import { checkModuleCalls } from "./validate/module-calls.ts";
import { checkProviderAliases } from "./validate/provider-aliases.ts";
import { checkReferences } from "./validate/references.ts";
import { findingAt, type CheckedModule } from "./validate/report.ts";
import { checkUnused } from "./validate/unused.ts";
import { checkVariableFiles } from "./validate/variable-files.ts";

export type FastReport = {
  readonly findings: readonly Finding[];
  readonly checked: {
    readonly modules: number;
    /** HCL and JSON files of Terraform. */
    readonly terraformFiles: number;
    /** CloudFormation, ROS and Kubernetes files. */
    readonly templates: number;
  };
  /** What was not looked at and why, one sentence each. */
  readonly notChecked: readonly string[];
  /** Findings silenced by `iac-code:ignore`. */
  readonly ignored: number;
};

export type FastOptions = {
  /** Only findings in these files, or below these directories, relative to the root; the whole project is read anyway. */
  readonly paths?: readonly string[];
  /** An index made just now, to spare reading the project twice. */
  readonly index?: ProjectIndex;
  /** Where the schema of a provider comes from; default: what is bundled. */
  readonly openSchema?: OpenSchema;
};

const bundledSchema: OpenSchema = async (source) => {
  const index = await openBundled(source);
  return index === undefined ? undefined : { index, isReal: false };
};

const CHECKS = [
  checkBlocks,
  checkReferences,
  checkProviderAliases,
  checkUnused,
  checkModuleCalls,
  checkLockFile,
  checkVariableFiles,
];
const NOT_CHECKED: Partial<Record<OtherFile["kind"], string>> = {
  ansible: "Ansible playbooks: only ansible-lint (level full) reads them",
  bicep: "Bicep files: no check is built in",
  cdk: "CDK projects: check the output of `cdk synth`",
  helm: "Helm charts: check the output of `helm template`",
  pulumi: "Pulumi projects: their programs are not read",
};

/** Checks the project below `root` (absolute). Rejects only when `signal` aborts. */
export async function fastValidate(
  root: string,
  { paths, index: given, openSchema = bundledSchema }: FastOptions,
  signal: AbortSignal,
): Promise<FastReport> {
  const index = given ?? (await indexProject(root, signal));
  const hcl = hclFilesOf(index);
  const own = index.modules.flatMap((module) => checkModule({ index, module }));
  const rules = runRules(
    hcl
      .filter(isForRules)
      .map(({ path, text, tree }) => ({ dialect: "hcl", file: path, text, hcl: tree })),
  );
  const schemas = await checkArguments(index, openSchema, signal);
  signal.throwIfAborted();
  const documents = validateDocuments(
    index.others.filter(({ kind }) => DOCUMENT_KINDS.has(kind)),
    await templateSchemas(index),
  );
  const { findings, ignored } = withoutIgnored(
    [...syntaxFaults(hcl), ...own, ...schemas.findings, ...rules.findings, ...documents.findings],
    [
      ...hcl.map(({ path, text, tree }) => ({ path, text, comments: tree.comments })),
      ...index.others,
    ],
  );
  return {
    findings: sortFindings(findings.filter(({ file }) => isSelected(file, paths))),
    checked: {
      modules: index.modules.length,
      terraformFiles: hcl.length,
      templates: documents.checked.length,
    },
    notChecked: [
      ...index.notices,
      ...schemas.notChecked,
      ...documents.skipped.map(({ file, reason }) => `${file}: ${reason}`),
      ...generatedNotices(index),
      ...kindNotices(index),
    ],
    ignored: ignored + rules.ignored + documents.ignored,
  };
}

const DOCUMENT_KINDS: ReadonlySet<OtherFile["kind"]> = new Set([
  "cloudformation",
  "kubernetes",
  "ros",
  "sam",
]);

/** Opened only where such templates are. */
async function templateSchemas({ others }: ProjectIndex): Promise<TemplateSchemas> {
  const has = (...kinds: readonly OtherFile["kind"][]) =>
    others.some(({ kind }) => kinds.includes(kind));
  const open = async (dialect: keyof typeof SOURCE_OF) => {
    const schema = await openBundled(SOURCE_OF[dialect]);
    return schema === undefined ? {} : { [dialect]: schema };
  };
  return {
    ...(has("cloudformation", "sam") ? await open("cloudformation") : {}),
    ...(has("ros") ? await open("ros") : {}),
    ...(has("kubernetes") ? await open("kubernetes") : {}),
  };
}

type ParsedFile = {
  readonly path: string;
  readonly text: string;
  readonly tree: HclFile;
  readonly role: TerraformFile["role"] | "terragrunt" | "values";
};

function hclFilesOf({ modules, others, variableFiles }: ProjectIndex): ParsedFile[] {
  return [
    ...modules.flatMap(({ files }) =>
      files.map(({ path, text, hcl, role }) => ({ path, text, tree: hcl, role })),
    ),
    ...others
      .filter(({ kind }) => kind === "terragrunt")
      .map(({ path, text }) => ({ path, text, tree: parseHcl(text), role: "terragrunt" as const })),
    ...variableFiles.map(({ path, text, hcl }) => ({
      path,
      text,
      tree: hcl,
      role: "values" as const,
    })),
  ];
}

function isForRules({ role }: ParsedFile): boolean {
  return role === "module" || role === "override" || role === "values";
}

function syntaxFaults(files: readonly ParsedFile[]): Finding[] {
  return files.flatMap(({ path, tree }) =>
    tree.faults.map(({ message, span }) => findingAt(path, span, "error", "HCL-SYNTAX", message)),
  );
}

/** Terragrunt may generate files beside a unit, so nothing there can be called undeclared. */
function isGeneratedInto(index: ProjectIndex, directory: string): boolean {
  const unit = directory === "" ? "terragrunt.hcl" : `${directory}/terragrunt.hcl`;
  return index.others.some(({ path }) => path === unit);
}

function checkModule(checked: CheckedModule): Finding[] {
  const findings = CHECKS.flatMap((check) => check(checked));
  if (!isGeneratedInto(checked.index, checked.module.directory)) return findings;
  return findings.filter(({ code }) => code !== "HCL-REF");
}

function generatedNotices(index: ProjectIndex): string[] {
  return index.modules
    .filter(({ directory }) => isGeneratedInto(index, directory))
    .map(
      ({ directory }) =>
        `References in ${directory || "."}: Terragrunt may generate what they refer to`,
    );
}

function kindNotices({ others }: ProjectIndex): string[] {
  return [...new Set(others.map(({ kind }) => kind))].flatMap((kind) => NOT_CHECKED[kind] ?? []);
}

function isSelected(file: string, paths: readonly string[] | undefined): boolean {
  if (paths === undefined) return true;
  return paths.some((path) => path === "" || file === path || file.startsWith(`${path}/`));
}
