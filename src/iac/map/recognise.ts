// What kind of code a file is, by its name and shape alone; nothing is parsed here.

import { directoryOf, type OtherKind, type TerraformFile } from "./project-index.ts";

const TERRAFORM = /\.(?:tf|tofu)(?:\.json)?$/;
const TEST = /\.(?:tftest|tofutest)\.(?:hcl|json)$/;
const LOCK = /(?:^|\/)\.terraform\.lock\.hcl$/;
const TERRAGRUNT = /(?:^|\/)(?:terragrunt|terragrunt\.stack|root)\.hcl$/;

export function isTerraform(path: string): boolean {
  return TERRAFORM.test(path) || TEST.test(path) || LOCK.test(path);
}

export function isVariableFile(path: string): boolean {
  return path.endsWith(".tfvars");
}

/** `all`: every Terraform path of the project, to see what a `.tofu` file shadows. */
export function terraformRole(path: string, all: ReadonlySet<string>): TerraformFile["role"] {
  if (LOCK.test(path)) return "lock";
  if (TEST.test(path)) return "test";
  if (/\.tf(\.json)?$/.test(path) && all.has(path.replace(/\.tf(\.json)?$/, ".tofu$1")))
    return "shadowed";
  const name = path.slice(path.lastIndexOf("/") + 1).replace(TERRAFORM, "");
  return name === "override" || name.endsWith("_override") ? "override" : "module";
}

/** Directories that hold a Helm chart; what is templated below them is no manifest. */
export function chartDirectories(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => /(?:^|\/)Chart\.ya?ml$/.test(path)).map(directoryOf);
}

export function recogniseOther(
  path: string,
  text: string,
  charts: readonly string[],
): OtherKind | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (TERRAGRUNT.test(path)) return "terragrunt";
  if (name.endsWith(".bicep")) return "bicep";
  if (/^Chart\.ya?ml$/.test(name)) return "helm";
  if (/^Pulumi\.ya?ml$/.test(name)) return "pulumi";
  if (name === "cdk.json") return "cdk";
  if (!/\.(?:ya?ml|json|template)$/i.test(name)) return undefined;
  if (charts.some((chart) => path.startsWith(chart === "" ? "templates/" : `${chart}/templates/`)))
    return undefined;
  return recogniseDocument(text);
}

/** As a key at the start of a line, or in JSON on one line. */
function hasKey(text: string, key: string): boolean {
  return new RegExp(`(?:^|[{,])\\s*["']?${key}["']?\\s*:`, "m").test(text);
}

const PLAY =
  /^(?:-[ \t]+|[ \t]{2})(?:hosts|import_playbook|ansible\.builtin\.import_playbook)[ \t]*:/m;

/** A list of plays at the top level, so without any key there. */
function isPlaybook(text: string): boolean {
  return PLAY.test(text) && /^-[ \t]/m.test(text) && !/^[A-Za-z"']/m.test(text);
}

function recogniseDocument(text: string): OtherKind | undefined {
  if (hasKey(text, "ROSTemplateFormatVersion")) return "ros";
  if (/["']?Transform["']?\s*:[^]{0,80}AWS::Serverless/.test(text)) return "sam";
  if (hasKey(text, "AWSTemplateFormatVersion")) return "cloudformation";
  if (hasKey(text, "Resources")) {
    if (/["']?Type["']?\s*:\s*["']?(?:ALIYUN|DATASOURCE)::/.test(text)) return "ros";
    if (/["']?Type["']?\s*:\s*["']?AWS::/.test(text)) return "cloudformation";
  }
  if (hasKey(text, "apiVersion") && hasKey(text, "kind")) return "kubernetes";
  return isPlaybook(text) ? "ansible" : undefined;
}
