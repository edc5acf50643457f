// The index in words: the summary that `iac_map` answers with, and the brief that every system prompt carries.

import { count, escapeInvisible, truncateAtGrapheme } from "../../lib/text.ts";
import { OTHER_KINDS, type ProjectIndex, type TerraformModule } from "./project-index.ts";

/** Text of code and names runs at about 3.2 characters a token; fewer keeps the estimate on the safe side. */
const CHARACTERS_PER_TOKEN = 3;
const DEFAULT_MAX_TOKENS = 2_000;
/** Of each kind in one module, before `…`. */
const MAX_NAMES = 12;
const MAX_FILES = 8;
const MAX_NAME_LENGTH = 100;

const LABELS: Readonly<Record<(typeof OTHER_KINDS)[number], string>> = {
  ansible: "Ansible playbooks",
  bicep: "Bicep files",
  cdk: "CDK projects",
  cloudformation: "CloudFormation templates",
  helm: "Helm charts",
  kubernetes: "Kubernetes manifests",
  pulumi: "Pulumi projects",
  ros: "ROS templates",
  sam: "SAM templates",
  terragrunt: "Terragrunt units",
};

/** What the project consists of, for a model; `""` when it holds no infrastructure code. At most `maxTokens` by estimate. */
export function projectBrief(index: ProjectIndex, maxTokens = DEFAULT_MAX_TOKENS): string {
  const maxLength = maxTokens * CHARACTERS_PER_TOKEN;
  const full = summary(index);
  if (full.length <= maxLength) return full;
  const lines = full.split("\n");
  const note = "(shortened; iac_map tells the rest)";
  let length = note.length;
  const kept = lines.filter((line) => (length += line.length + 1) <= maxLength);
  return truncateAtGrapheme([...kept, note].join("\n"), maxLength);
}

/** One paragraph a module, one line a kind of other code. */
export function summary(index: ProjectIndex): string {
  const lines = index.modules
    .filter(({ files }) => files.some(({ role }) => role !== "lock"))
    .toSorted((a, b) => (a.role === b.role ? 0 : a.role === "root" ? -1 : 1))
    .flatMap(moduleLines);
  for (const kind of OTHER_KINDS) {
    const paths = index.others.filter((file) => file.kind === kind).map(({ path }) => path);
    if (paths.length > 0)
      lines.push(`${LABELS[kind]} (${paths.length}): ${some(paths, MAX_FILES)}`);
  }
  return [...lines, ...index.notices.map((notice) => `Note: ${notice}`)].join("\n");
}

function moduleLines(module: TerraformModule): string[] {
  const { directory, role, files, requiredVersion, backend, providers, calls, workspaces } = module;
  const state = role === "root" ? `, state: ${backend ?? "local"}` : "";
  const version = requiredVersion === undefined ? "" : `, terraform ${requiredVersion}`;
  const faulty = files.filter(({ hcl }) => hcl.faults.length > 0).map(({ path }) => path);
  return [
    `Terraform ${role} module ${directory === "" ? "." : plain(directory)} (${count(files.length, "file")}${plain(state)}${plain(version)})`,
    ...named("providers", providers.map(providerText)),
    ...named(
      "modules",
      calls.map(({ name, source, version: pinned }) =>
        `${name} ← ${source ?? "computed"}${pinned === undefined ? "" : ` ${pinned}`}`.trim(),
      ),
    ),
    ...named("resources", resourceTypes(module)),
    ...named("data", addresses(module, "data", "data.")),
    ...named("variables", addresses(module, "variable", "var.")),
    ...named("locals", addresses(module, "local", "local.")),
    ...named("outputs", addresses(module, "output", "output.")),
    ...named("workspaces", workspaces),
    ...named("syntax faults in", faulty),
  ];
}

function providerText({ name, source, constraint, locked }: TerraformModule["providers"][number]) {
  const from = source === undefined || source.endsWith(`/${name}`) ? "" : ` (${source})`;
  const lock = locked === undefined ? "" : `, locked ${locked}`;
  return `${name}${from} ${constraint ?? "any version"}${lock}`;
}

/** `aws_subnet.public, aws_subnet.private` are told as `aws_subnet: public, private`. */
function resourceTypes({ declarations }: TerraformModule): string[] {
  const byType = new Map<string, string[]>();
  for (const { kind, address } of declarations) {
    if (kind !== "resource") continue;
    const [type = "", name = ""] = address.split(".");
    const names = byType.get(type);
    if (names === undefined) byType.set(type, [name]);
    else names.push(name);
  }
  const sorted = [...byType].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([type, names]) => `${type} (${some(names, 4)})`);
}

function addresses({ declarations }: TerraformModule, kind: string, prefix: string): string[] {
  return declarations
    .filter((each) => each.kind === kind)
    .map(({ address }) => address.slice(prefix.length));
}

function named(label: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`  ${label}: ${some(names, MAX_NAMES)}`];
}

function some(names: readonly string[], limit: number): string {
  const rest = names.length - limit;
  return names.slice(0, limit).map(plain).join(", ") + (rest > 0 ? `, … ${rest} more` : "");
}

/** Names come from files that anybody may have written: one line, nothing hidden, not long, no credentials of a URL. */
export function plain(name: string): string {
  const shown = escapeInvisible(name.replaceAll(/\/\/[^/@\s]+@/g, "//…@"), "");
  return shown.length <= MAX_NAME_LENGTH ? shown : `${truncateAtGrapheme(shown, MAX_NAME_LENGTH)}…`;
}
