// Arguments and nested blocks of resources and data sources that their provider does not have.
// Names only: what a value must look like is for `terraform validate` to say.

import type { Finding, Severity } from "../findings.ts";
import type { Attribute, Block, Body, Span } from "../hcl/tree.ts";
import type { ProjectIndex, TerraformModule } from "../map/project-index.ts";
import { didYouMean } from "../nearest.ts";
import { findingAt } from "../validate/report.ts";
import { localNameOf, providerUse, speaksFor } from "./provider-of.ts";
import type { SchemaBlock, SchemaIndex } from "./schema-index.ts";

/** Where a provider's schema comes from; `isReal`: from the provider that the project has locked and installed. */
export type OpenedSchema = { readonly index: SchemaIndex; readonly isReal: boolean };
export type OpenSchema = (source: string, directory: string) => Promise<OpenedSchema | undefined>;

export type ArgumentReport = {
  readonly findings: readonly Finding[];
  readonly notChecked: readonly string[];
};

/** Arguments of every resource or provider, whatever its type. */
const META = new Set([
  "count",
  "for_each",
  "depends_on",
  "provider",
  "enabled",
  "alias",
  "version",
]);
/** The blocks that are checked, and how many labels each has. */
const LABELS: Readonly<Record<string, number>> = { resource: 2, data: 2, provider: 1 };
const META_BLOCKS = new Set([
  "lifecycle",
  "provisioner",
  "connection",
  "precondition",
  "postcondition",
]);
const MAX_DEPTH = 32;

type Scope = {
  readonly file: string;
  readonly severity: Severity;
  /** `aws_instance (hashicorp/aws 6.25.0, bundled index)`. */
  readonly where: string;
  readonly index: SchemaIndex;
  readonly found: Finding[];
};

export async function checkArguments(
  index: ProjectIndex,
  open: OpenSchema,
  signal: AbortSignal,
): Promise<ArgumentReport> {
  const opened = new Map<string, Promise<OpenedSchema | undefined>>();
  const once = (source: string, directory: string): Promise<OpenedSchema | undefined> => {
    const key = `${directory}\0${source}`;
    const known = opened.get(key) ?? open(source, directory);
    opened.set(key, known);
    return known;
  };
  const found: Finding[] = [];
  const notChecked = new Set<string>();
  for (const module of index.modules) {
    signal.throwIfAborted();
    const providers = new Map<string, OpenedSchema | undefined>();
    for (const { file, block } of blocksOf(module)) {
      const name = localNameOf(block);
      if (!providers.has(name)) {
        const use = providerUse(index, module, name);
        const schema = await once(use.source, module.directory);
        const fits = schema !== undefined && (schema.isReal || speaksFor(schema.index, use));
        providers.set(name, fits ? schema : undefined);
        if (schema !== undefined && !fits) notChecked.add(otherVersion(schema.index, use));
      }
      const schema = providers.get(name);
      if (schema !== undefined) checkBlock(file, block, schema, found);
    }
  }
  return { findings: found, notChecked: [...notChecked] };
}

function otherVersion(
  { source, version }: SchemaIndex,
  { locked, constraint }: { readonly locked?: string; readonly constraint?: string },
): string {
  const wanted = locked ?? constraint ?? "another version";
  return `arguments of ${source} ${wanted}: the bundled index knows ${version}; level full asks the installed provider`;
}

function blocksOf({ files }: TerraformModule): { readonly file: string; readonly block: Block }[] {
  return files
    .filter(({ role }) => role === "module" || role === "override")
    .flatMap(({ path, hcl }) =>
      hcl.body.blocks
        .filter(({ name, labels }) => labels.length === LABELS[name])
        .map((block) => ({ file: path, block })),
    );
}

function checkBlock(
  file: string,
  block: Block,
  { index, isReal }: OpenedSchema,
  found: Finding[],
): void {
  const type = typeOf(block, index);
  const label = `${index.source} ${index.version}${isReal ? "" : ", bundled index"}`;
  const severity = isReal ? "error" : "warning";
  const schema = index.typeOf(type);
  if (schema === undefined) {
    // Real schemas always hold their provider's own arguments, bindings nearly always.
    if (block.name === "provider") return;
    const kind = block.name === "data" ? "data source" : "resource type";
    const message = `there is no ${kind} ${block.labels[0] ?? ""} in ${label}.${didYouMean(type, similarTypes(index, type))}`;
    found.push(findingAt(file, block.labelSpans[0] ?? block.span, severity, "IAC-SCHEMA", message));
    return;
  }
  const scope = { file, severity, where: `${nameOf(block)} (${label})`, index, found } as const;
  checkBody(block.body, schema, scope, 0);
}

/** As indexes name it; a provider by its own name, whatever the project calls it. */
function typeOf({ name, labels }: Block, { source }: SchemaIndex): string {
  const label = labels[0] ?? "";
  if (name === "provider") return `provider.${source.split("/").at(-1) ?? label}`;
  return name === "data" ? `data.${label}` : label;
}

const nameOf = ({ name, labels }: Block): string =>
  name === "provider" ? `provider ${labels[0] ?? ""}` : (labels[0] ?? "");

/** Types that begin alike: an edit distance over thousands of names would cost more than it tells. */
function similarTypes({ typeNames }: SchemaIndex, key: string): string[] {
  const stem = key.slice(0, Math.max(6, Math.floor(key.length * 0.6)));
  return typeNames.filter((name) => name.startsWith(stem));
}

function checkBody(body: Body, schema: SchemaBlock, scope: Scope, depth: number): void {
  if (depth > MAX_DEPTH) return;
  for (const attribute of body.attributes) checkAttribute(attribute, schema, scope, depth);
  for (const block of body.blocks) {
    const isDynamic = block.name === "dynamic" && block.labels[0] !== undefined;
    const name = isDynamic ? (block.labels[0] ?? "") : block.name;
    if (!isDynamic && depth === 0 && META_BLOCKS.has(name)) continue;
    const at = isDynamic ? (block.labelSpans[0] ?? block.nameSpan) : block.nameSpan;
    const field = schema.get(name);
    if (field === undefined) {
      reportUnknown("block", name, at, schema, scope);
      continue;
    }
    if (field.inside === undefined) continue;
    const inside = scope.index.blockAt(field.inside);
    const bodies = isDynamic
      ? block.body.blocks.filter((each) => each.name === "content").map((each) => each.body)
      : [block.body];
    for (const each of bodies) checkBody(each, inside, scope, depth + 1);
  }
}

function checkAttribute(
  { name, nameSpan }: Attribute,
  schema: SchemaBlock,
  scope: Scope,
  depth: number,
): void {
  if (depth === 0 && META.has(name)) return;
  const field = schema.get(name);
  if (field === undefined) reportUnknown("argument", name, nameSpan, schema, scope);
  else if (field.presence === "computed")
    scope.found.push(
      findingAt(
        scope.file,
        nameSpan,
        scope.severity,
        "IAC-SCHEMA",
        `${name} of ${scope.where} is set by the provider and cannot be given`,
      ),
    );
}

function reportUnknown(
  what: "argument" | "block",
  name: string,
  at: Span,
  schema: SchemaBlock,
  { file, severity, where, found }: Scope,
): void {
  const names = [...schema.values()]
    .filter(({ presence }) => presence !== "computed")
    .map((field) => field.name);
  const message = `unknown ${what} "${name}" of ${where}.${didYouMean(name, names)}`;
  found.push(findingAt(file, at, severity, "IAC-SCHEMA", message));
}
