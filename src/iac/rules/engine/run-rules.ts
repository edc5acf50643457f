// Runs every rule over parsed files of any dialect. Pure: what is found depends on the texts alone.

import { sortFindings } from "../../findings.ts";
import type { Finding } from "../../findings.ts";
import { withoutIgnored } from "../../validate/ignores.ts";
import { allRules } from "../all.ts";
import { modulesOf } from "./modules.ts";
import { fixOf } from "./patch.ts";
import type { Hit, ResourceCheck, Rule } from "../rule.ts";
import type { Module, Resource, RuleSource } from "./source.ts";

export type RulesReport = {
  readonly findings: readonly Finding[];
  /** Findings silenced by `iac-code:ignore`. */
  readonly ignored: number;
};

type ResourceRule = { readonly rule: Rule; readonly check: ResourceCheck };

/** Groups the files into modules by directory and applies `rules`, by default all of them. */
export function runRules(
  sources: readonly RuleSource[],
  rules: readonly Rule[] = allRules,
): RulesReport {
  const byType = indexByType(rules);
  const everyRules = byType.get("every") ?? [];
  const found: Finding[] = [];
  for (const module of modulesOf(sources)) {
    for (const resource of module.resources) {
      const typed = byType.get(resource.type) ?? [];
      for (const { rule, check } of [...typed, ...everyRules])
        for (const hit of check.run(resource, module)) found.push(findingOf(rule, resource, hit));
    }
    for (const rule of rules) found.push(...moduleFindings(rule, module));
  }
  return silence(sources, withoutDuplicates(found));
}

function moduleFindings(rule: Rule, module: Module): readonly Finding[] {
  if (rule.check.on !== "module") return [];
  return rule.check.run(module).map((hit) => findingOf(rule, hit.resource, hit));
}

function indexByType(rules: readonly Rule[]): ReadonlyMap<string, readonly ResourceRule[]> {
  const index = new Map<string, ResourceRule[]>();
  for (const rule of rules) {
    const { check } = rule;
    if (check.on !== "resource") continue;
    for (const type of check.types === "every" ? ["every"] : new Set(check.types)) {
      const there = index.get(type);
      if (there === undefined) index.set(type, [{ rule, check }]);
      else there.push({ rule, check });
    }
  }
  return index;
}

function findingOf(rule: Rule, resource: Resource, hit: Hit): Finding {
  const at = hit.at ?? resource.at;
  const detail = hit.detail === undefined ? "" : `: ${hit.detail}`;
  const fix =
    hit.patch === undefined ? undefined : fixOf(resource.source.text, hit.patch, rule.fix);
  return {
    file: resource.source.file,
    line: at.line,
    column: at.column,
    severity: rule.severity,
    code: rule.id,
    message: `${rule.title} (${resource.address}${detail}). ${rule.fix}`,
    ...(fix === undefined ? {} : { fix }),
  };
}

function withoutDuplicates(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Map<string, Finding>();
  for (const finding of findings) {
    const key = `${finding.file}:${finding.line}:${finding.column}:${finding.code}`;
    if (!seen.has(key)) seen.set(key, finding);
  }
  return [...seen.values()];
}

function silence(sources: readonly RuleSource[], findings: readonly Finding[]): RulesReport {
  const files = sources.map((source) => ({
    path: source.file,
    text: source.text,
    ...(source.dialect === "hcl" ? { comments: source.hcl.comments } : {}),
  }));
  const { findings: kept, ignored } = withoutIgnored(findings, files);
  return { findings: sortFindings(kept), ignored };
}
