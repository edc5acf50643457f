// Parsed files → modules with their resources.

import { manifestsOf } from "../../k8s/manifest.ts";
import { entriesOf, member, textOf } from "../../value.ts";
import type { MapEntry, Value } from "../../value.ts";
import { hclResources } from "./hcl-view.ts";
import type { Module, Resource, RuleSource, TemplateFile } from "./source.ts";

/** HCL and Kubernetes files of one directory are a module each, a CloudFormation or ROS template is one by itself. */
export function modulesOf(sources: readonly RuleSource[]): readonly Module[] {
  const groups = new Map<string, RuleSource[]>();
  for (const source of sources) {
    const isShared = source.dialect === "hcl" || source.dialect === "kubernetes";
    const key = `${source.dialect} ${isShared ? directoryOf(source.file) : source.file}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [source]);
    else group.push(source);
  }
  return [...groups.values()].map(moduleOf);
}

function moduleOf(sources: readonly RuleSource[]): Module {
  const resources = withOverrides(sources.flatMap(resourcesOf));
  const byType = new Map<string, Resource[]>();
  for (const resource of resources) {
    const same = byType.get(resource.type);
    if (same === undefined) byType.set(resource.type, [resource]);
    else same.push(resource);
  }
  const [first] = sources;
  return {
    directory: directoryOf(first?.file ?? ""),
    dialect: first?.dialect ?? "hcl",
    sources,
    resources,
    byType,
  };
}

/**
 * Terraform merges `override.tf` and `*_override.tf` into the block of the same address. What the other block says
 * is then not known to either, so neither is blamed for it.
 */
function withOverrides(resources: readonly Resource[]): readonly Resource[] {
  const overrides = resources.filter(isOverride);
  if (overrides.length === 0) return resources;
  return resources.map((resource) => {
    const others = resources.filter(
      (other) =>
        other.address === resource.address &&
        other.type === resource.type &&
        isOverride(other) !== isOverride(resource),
    );
    return others.length === 0 ? resource : { ...resource, body: mergedBody(resource, others) };
  });
}

function isOverride({ source }: Resource): boolean {
  return source.dialect === "hcl" && /(^|[/_])override\.(tf|tofu)(\.json)?$/.test(source.file);
}

function mergedBody(resource: Resource, others: readonly Resource[]): Value {
  const named = new Set(others.flatMap(({ body }) => entriesOf(body).map(({ key }) => key)));
  const own = entriesOf(resource.body).filter(({ key }) => isOverride(resource) || !named.has(key));
  const open = [...named]
    .filter((key) => !own.some((entry) => entry.key === key))
    .map((key): MapEntry => {
      const value: Value = { kind: "unknown", at: resource.at, references: [] };
      return { key, keyAt: resource.at, value };
    });
  return { kind: "map", at: resource.body.at, entries: [...own, ...open] };
}

function directoryOf(file: string): string {
  return file.slice(0, Math.max(file.lastIndexOf("/"), 0));
}

function resourcesOf(source: RuleSource): readonly Resource[] {
  if (source.dialect === "hcl") return hclResources(source);
  if (source.dialect === "kubernetes")
    return source.roots.flatMap((root) => manifests(root, source));
  return source.roots.flatMap((root) => templateResources(root, source));
}

function manifests(root: Value, source: TemplateFile): readonly Resource[] {
  return manifestsOf(root).flatMap(({ value, kind, name }) => {
    if (kind === undefined) return [];
    const at = entriesOf(value).find(({ key }) => key === "kind")?.keyAt ?? value.at;
    const address = `${kind}/${name ?? "unnamed"}`;
    return [{ source, type: kind, name: name ?? "", address, at, body: value, whole: value }];
  });
}

function templateResources(root: Value, source: TemplateFile): readonly Resource[] {
  const parameters = entriesOf(member(root, "Parameters")).map((entry) =>
    declared(entry, source, "parameter", entry.value),
  );
  const resources = entriesOf(member(root, "Resources")).flatMap((entry) => {
    const type = textOf(member(entry.value, "Type"));
    if (type === undefined) return [];
    const none: Value = { kind: "map", at: entry.keyAt, entries: [] };
    return [declared(entry, source, type, member(entry.value, "Properties") ?? none)];
  });
  return [...parameters, ...resources];
}

function declared(entry: MapEntry, source: TemplateFile, type: string, body: Value): Resource {
  return {
    source,
    type,
    name: entry.key,
    address: entry.key,
    at: entry.keyAt,
    body,
    whole: entry.value,
  };
}
