// Which dialect a YAML or JSON text is, and everything there is to say about it: syntax, shape, rules.
// HCL files have their own parser; the rules of both meet in rules/engine/run-rules.ts.

import { cloudFormation, isCloudFormation } from "./cfn.ts";
import { sortFindings } from "./findings.ts";
import type { Finding } from "./findings.ts";
import { checkManifests } from "./k8s.ts";
import { checkTogether } from "./k8s/check-together.ts";
import { isManifest } from "./k8s/manifest.ts";
import { reporter } from "./reporter.ts";
import { isRos, ros } from "./ros.ts";
import { runRules } from "./rules/engine/run-rules.ts";
import type { TemplateFile } from "./rules/engine/source.ts";
import { checkProperties, type TemplateSchemas } from "./schema/check-properties.ts";
import { checkTemplate } from "./template/check.ts";
import { parseYaml } from "./yaml-tree.ts";
import type { YamlDocument } from "./yaml-tree.ts";

export type DocumentFile = { readonly path: string; readonly text: string };

export type Recognised =
  | {
      readonly type: "file";
      readonly file: TemplateFile;
      readonly documents: readonly YamlDocument[];
    }
  /** Infrastructure code that cannot be checked as it is. */
  | { readonly type: "skipped"; readonly reason: string }
  /** Not infrastructure code. */
  | { readonly type: "other" };

export type DocumentsReport = {
  readonly findings: readonly Finding[];
  /** Findings silenced by `iac-code:ignore`. */
  readonly ignored: number;
  readonly checked: readonly string[];
  readonly skipped: readonly { readonly file: string; readonly reason: string }[];
};

const CODES = { cloudformation: "CFN", ros: "ROS", kubernetes: "K8S" } as const;
/** A larger file is data or generated, and would take the parser seconds. */
const MAX_DOCUMENT_CHARS = 5_000_000;
// What a file was meant to be, when it does not parse.
const CFN_TEXT = /^\s*["']?AWSTemplateFormatVersion|["']?Type["']?\s*:\s*["']?AWS::/m;
const ROS_TEXT =
  /^\s*["']?ROSTemplateFormatVersion|["']?Type["']?\s*:\s*["']?(ALIYUN|DATASOURCE)::/m;
const K8S_TEXT = /^apiVersion\s*:[\s\S]*^kind\s*:|^kind\s*:[\s\S]*^apiVersion\s*:/m;
const TEMPLATE_ACTION = /\{\{(?!resolve:)|\{%/;

/** Parses and recognises one file; `path` is relative to the project's root. */
export function recogniseDocument({ path, text }: DocumentFile): Recognised {
  const isTemplated = TEMPLATE_ACTION.test(text);
  if (isTemplated && /(^|\/)templates\//.test(path) && !CFN_TEXT.test(text) && !ROS_TEXT.test(text))
    return {
      type: "skipped",
      reason: "it is a Helm template; check the output of `helm template`",
    };
  if (!CFN_TEXT.test(text) && !ROS_TEXT.test(text) && !/\b(apiVersion|kind|Resources)\b/.test(text))
    return { type: "other" };
  if (text.length > MAX_DOCUMENT_CHARS)
    return { type: "skipped", reason: `it is larger than ${MAX_DOCUMENT_CHARS} characters` };
  const documents = parseYaml(text);
  const hasFaults = documents.some((document) => document.faults.length > 0);
  const dialect = dialectOf(documents) ?? (hasFaults ? dialectOfText(text) : undefined);
  if (dialect === undefined) return { type: "other" };
  if (hasFaults && isTemplated)
    return {
      type: "skipped",
      reason: "it holds template actions ({{ }} or {% %}); check the rendered file",
    };
  const roots = documents.flatMap(({ root, faults }) =>
    root === undefined || faults.length > 0 || (dialect === "kubernetes" && !isManifest(root))
      ? []
      : [root],
  );
  return { type: "file", file: { dialect, file: path, text, roots }, documents };
}

/** Checks CloudFormation, ROS and Kubernetes files and runs the rules over them; other files are passed over. */
export function validateDocuments(
  files: readonly DocumentFile[],
  schemas: TemplateSchemas = {},
): DocumentsReport {
  const findings: Finding[] = [];
  const skipped: { file: string; reason: string }[] = [];
  const recognised: TemplateFile[] = [];
  for (const each of files) {
    const result = recogniseDocument(each);
    if (result.type === "skipped") skipped.push({ file: each.path, reason: result.reason });
    if (result.type !== "file") continue;
    recognised.push(result.file);
    findings.push(
      ...checkDocuments(result.file, result.documents),
      ...checkProperties(result.file, schemas),
    );
  }
  findings.push(...checkDirectories(recognised));
  const fromRules = runRules(recognised);
  return {
    findings: sortFindings([...findings, ...fromRules.findings]),
    ignored: fromRules.ignored,
    checked: recognised.map(({ file }) => file),
    skipped,
  };
}

function checkDocuments(file: TemplateFile, documents: readonly YamlDocument[]): Finding[] {
  const findings: Finding[] = [];
  const report = reporter(findings, file.file, CODES[file.dialect]);
  for (const { faults, duplicates } of documents) {
    for (const { message, span } of faults) report("SYNTAX", "error", span, message);
    if (faults.length > 0) continue;
    for (const { key, at } of duplicates)
      report(
        "DUPLICATE",
        "error",
        at,
        `The key "${key}" stands twice in this map; only the last one counts. Remove or rename one.`,
      );
  }
  for (const root of file.roots) {
    if (file.dialect === "kubernetes") findings.push(...checkManifests(root, file.file));
    else
      findings.push(
        ...checkTemplate(root, file.file, file.dialect === "ros" ? ros : cloudFormation),
      );
  }
  return findings;
}

function checkDirectories(files: readonly TemplateFile[]): Finding[] {
  const manifests = files.filter(({ dialect }) => dialect === "kubernetes");
  const byDirectory = Map.groupBy(manifests, ({ file }) =>
    file.slice(0, file.lastIndexOf("/") + 1),
  );
  return [...byDirectory.values()].flatMap(checkTogether);
}

function dialectOf(documents: readonly YamlDocument[]): TemplateFile["dialect"] | undefined {
  const roots = documents.flatMap(({ root }) => (root === undefined ? [] : [root]));
  const [first] = roots;
  if (first !== undefined && roots.length === 1) {
    if (isRos(first)) return "ros";
    if (isCloudFormation(first)) return "cloudformation";
  }
  return roots.some(isManifest) ? "kubernetes" : undefined;
}

function dialectOfText(text: string): TemplateFile["dialect"] | undefined {
  if (ROS_TEXT.test(text)) return "ros";
  if (CFN_TEXT.test(text)) return "cloudformation";
  return K8S_TEXT.test(text) ? "kubernetes" : undefined;
}
