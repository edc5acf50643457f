// Where a plan would act: account, region, workspace, backend, and whether that looks like production.

import { isRecord } from "../../lib/json.ts";
import type { PlanFacts, PlanPlace } from "./card.ts";
import { type PlanJson, stateResources } from "./plan-json.ts";

const MAX_NAMED = 6;
/** Data sources that say who asks, and where they say it. */
const IDENTITIES: Readonly<Record<string, readonly string[]>> = {
  aws_caller_identity: ["account_id"],
  alicloud_account: ["id"],
  alicloud_caller_identity: ["account_id"],
  azurerm_client_config: ["subscription_id"],
  azurerm_subscription: ["subscription_id"],
  google_client_config: ["project"],
  google_project: ["project_id"],
};
const REGION_SOURCES = new Set(["aws_region", "google_client_config"]);
const ARN = /^(?:arn:[\w-]+|acs):[\w-]*:([\w-]*):(\d{12}|\d{16})?:/;
const SUBSCRIPTION = /^\/subscriptions\/([0-9a-f-]{36})\//i;
const PROJECT = /^projects\/([a-z][\w-]+)\//;

export function placeOf(plan: PlanJson, facts: PlanFacts): PlanPlace {
  const accounts = new Set<string>();
  const regions = new Set<string>();
  for (const region of configuredRegions(plan)) regions.add(region);
  for (const { type, mode, values } of stateResources(plan)) {
    if (!isRecord(values)) continue;
    if (mode === "data") fromDataSource(type, values, { accounts, regions });
    fromIds(values, { accounts, regions });
  }
  for (const { change } of plan.resource_changes ?? [])
    if (isRecord(change.before)) fromIds(change.before, { accounts, regions });
  const tool =
    facts.tool ??
    (plan.terraform_version === undefined ? undefined : `terraform ${plan.terraform_version}`);
  return {
    ...(tool === undefined ? {} : { tool }),
    ...pick(facts, "directory"),
    ...pick(facts, "workspace"),
    ...pick(facts, "backend"),
    accounts: [...accounts].slice(0, MAX_NAMED),
    regions: [...regions].slice(0, MAX_NAMED),
  };
}

function pick<K extends "directory" | "workspace" | "backend">(
  facts: PlanFacts,
  key: K,
): Partial<Record<K, string>> {
  const value = facts[key];
  // A computed key widens to an index signature, which is what Partial<Record> says.
  return value === undefined ? {} : ({ [key]: value } as Partial<Record<K, string>>);
}

type Found = { readonly accounts: Set<string>; readonly regions: Set<string> };

function fromDataSource(type: string, values: Record<string, unknown>, found: Found): void {
  for (const name of IDENTITIES[type] ?? []) addText(found.accounts, values[name]);
  if (REGION_SOURCES.has(type)) addText(found.regions, values["region"] ?? values["name"]);
}

/** The names that providers give their objects tell the account. */
function fromIds(values: Record<string, unknown>, { accounts, regions }: Found): void {
  for (const key of ["arn", "id", "self_link"]) {
    const value = values[key];
    if (typeof value !== "string") continue;
    const arn = ARN.exec(value);
    addText(regions, arn?.[1] === "" ? undefined : arn?.[1]);
    addText(accounts, arn?.[2]);
    addText(accounts, SUBSCRIPTION.exec(value)?.[1] ?? PROJECT.exec(value)?.[1]);
  }
}

function addText(found: Set<string>, value: unknown): void {
  if (typeof value === "string" && value !== "" && found.size < MAX_NAMED) found.add(value);
}

/** A literal, or a variable whose value the plan tells and that is not sensitive. */
function configuredRegions(plan: PlanJson): string[] {
  const providers = Object.values(plan.configuration?.provider_config ?? {});
  return providers.flatMap(({ expressions }) => {
    const region = expressions?.["region"] ?? expressions?.["location"];
    if (!isRecord(region)) return [];
    if (typeof region["constant_value"] === "string") return [region["constant_value"]];
    const references: readonly unknown[] = Array.isArray(region["references"])
      ? region["references"]
      : [];
    const [first] = references;
    return typeof first === "string" ? (variableText(plan, first.replace(/^var\./, "")) ?? []) : [];
  });
}

function variableText(plan: PlanJson, name: string): string | undefined {
  if (plan.configuration?.root_module?.variables?.[name]?.sensitive === true) return undefined;
  const value = plan.variables?.[name]?.value;
  return typeof value === "string" ? value : undefined;
}

const PRODUCTION = /(?<![a-z])(?:prod|production|prd|live)(?![a-z])/i;
const NOT_PRODUCTION = /(?<![a-z])(?:non|pre|not)[-_ ]?(?:prod|production|prd|live)(?![a-z])/gi;
const ENVIRONMENT_VARIABLES = ["environment", "env", "stage", "tier"];

/** What of the place looks like production, in words; `undefined` when nothing does. */
export function productionSign(place: PlanPlace, plan?: PlanJson): string | undefined {
  const signs: (readonly [string, string | undefined])[] = [
    ["the workspace", place.workspace],
    ["the directory", place.directory],
    ["the backend", place.backend],
    ...place.accounts.map((name) => ["the account", name] as const),
    ...ENVIRONMENT_VARIABLES.map(
      (name) =>
        [
          `the variable ${name}`,
          plan === undefined ? undefined : variableText(plan, name),
        ] as const,
    ),
  ];
  const found = signs.find(([, text]) => looksLikeProduction(text ?? ""));
  return found === undefined ? undefined : `${found[0]} (\`${found[1]?.slice(0, 100) ?? ""}\`)`;
}

export function looksLikeProduction(text: string): boolean {
  return PRODUCTION.test(text.replaceAll(NOT_PRODUCTION, ""));
}
