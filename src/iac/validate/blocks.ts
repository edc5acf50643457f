// The shape of top-level blocks: known types, labels, names, what must be there, and nothing declared twice.

import { count } from "../../lib/text.ts";
import type { Finding } from "../findings.ts";
import type { Block } from "../hcl/tree.ts";
import { attributeOf } from "../map/declarations.ts";
import { didYouMean } from "../nearest.ts";
import { findingAt, type CheckedModule } from "./report.ts";

/** Labels of each block type of the Terraform and OpenTofu languages. */
const LABELS: Readonly<Record<string, readonly string[]>> = {
  action: ["type", "name"],
  check: ["name"],
  data: ["type", "name"],
  ephemeral: ["type", "name"],
  import: [],
  language: [],
  locals: [],
  module: ["name"],
  moved: [],
  output: ["name"],
  provider: ["name"],
  removed: [],
  resource: ["type", "name"],
  terraform: [],
  variable: ["name"],
};
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  module: ["source"],
  moved: ["from", "to"],
  output: ["value"],
  removed: ["from"],
};
const RESERVED_VARIABLES = new Set([
  "source",
  "version",
  "providers",
  "count",
  "for_each",
  "lifecycle",
  "depends_on",
  "locals",
]);
const NAME = /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u;

export function checkBlocks({ module }: CheckedModule): Finding[] {
  const findings: Finding[] = [];
  for (const { path, hcl, role } of module.files) {
    if (role !== "module" && role !== "override") continue;
    for (const attribute of hcl.body.attributes)
      findings.push(
        findingAt(
          path,
          attribute.nameSpan,
          "error",
          "HCL-BLOCK",
          `argument "${attribute.name}" stands outside of any block; move it into one (locals, for a value)`,
        ),
      );
    for (const block of hcl.body.blocks) {
      const known = LABELS[block.name];
      if (known === undefined) findings.push(unknownBlock(path, block));
      else findings.push(...labelFaults(path, block, known));
      if (known !== undefined && role === "module") findings.push(...missing(path, block));
    }
  }
  return [...findings, ...duplicates({ module })];
}

/** A warning only: a newer version of the language may know it. */
function unknownBlock(path: string, block: Block): Finding {
  const hint = didYouMean(block.name, Object.keys(LABELS));
  const message = `unknown block type "${block.name}".${hint}`;
  return findingAt(path, block.nameSpan, "warning", "HCL-BLOCK", message);
}

function labelFaults(path: string, block: Block, wanted: readonly string[]): Finding[] {
  const { name, labels, labelSpans, nameSpan } = block;
  if (labels.length !== wanted.length) {
    const takes = wanted.length === 0 ? "no label" : `the labels ${wanted.join(" and ")}`;
    const message = `a ${name} block takes ${takes}, not ${count(labels.length, "label")}`;
    return [findingAt(path, nameSpan, "error", "HCL-LABELS", message)];
  }
  const last = labels.at(-1);
  const span = labelSpans.at(-1);
  if (last === undefined || span === undefined || name === "check") return [];
  if (!NAME.test(last)) {
    const message = `"${last}" is no valid name: begin with a letter or underscore, then letters, digits, underscores, dashes`;
    return [findingAt(path, span, "error", "HCL-LABELS", message)];
  }
  if (name !== "variable" || !RESERVED_VARIABLES.has(last)) return [];
  const message = `the variable name "${last}" is reserved for the module call itself`;
  return [findingAt(path, span, "error", "HCL-LABELS", message)];
}

function missing(path: string, block: Block): Finding[] {
  const absent = (REQUIRED[block.name] ?? []).filter(
    (name) => attributeOf(block.body, name) === undefined,
  );
  const findings = absent.map((name) =>
    findingAt(
      path,
      block.nameSpan,
      "error",
      "HCL-REQUIRED",
      `the ${block.name} block needs "${name}"`,
    ),
  );
  const counted = attributeOf(block.body, "count");
  if (counted !== undefined && attributeOf(block.body, "for_each") !== undefined)
    findings.push(
      findingAt(
        path,
        counted.nameSpan,
        "error",
        "HCL-REQUIRED",
        `"count" and "for_each" exclude each other`,
      ),
    );
  return findings;
}

/** Also providers of one alias, and the settings that a module has once. */
function duplicates({ module }: Pick<CheckedModule, "module">): Finding[] {
  const first = new Map<string, { file: string; line: number }>();
  const findings: Finding[] = [];
  const see = (key: string, file: string, span: Block["span"]): void => {
    const before = first.get(key);
    if (before === undefined) first.set(key, { file, line: span.line });
    else {
      const message = `${key} is already declared at ${before.file}:${before.line}`;
      findings.push(findingAt(file, span, "error", "HCL-DUPLICATE", message));
    }
  };
  for (const { address, file, span } of module.declarations) see(address, file, span);
  for (const { path, hcl, role } of module.files) {
    if (role !== "module") continue;
    for (const block of hcl.body.blocks) {
      if (block.name === "provider") see(providerKey(block), path, block.nameSpan);
      if (block.name === "terraform")
        for (const nested of block.body.blocks)
          if (nested.name === "required_providers" || nested.name === "backend")
            see(`terraform.${nested.name}`, path, nested.nameSpan);
    }
  }
  return findings;
}

function providerKey(block: Block): string {
  const alias = attributeOf(block.body, "alias")?.value.value;
  const name = block.labels[0] ?? "";
  return alias === undefined ? `provider.${name}` : `provider.${name}.${String(alias)}`;
}
