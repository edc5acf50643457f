// References that lead nowhere: variables, locals, modules and their outputs, resources, data.

import type { Finding } from "../findings.ts";
import type { Attribute, Block, Body, Traversal } from "../hcl/tree.ts";
import { addressOf, nameAfter } from "../map/queries.ts";
import { moduleAt } from "../map/project-index.ts";
import { didYouMean } from "../nearest.ts";
import { findingAt, mayBeHidden, type CheckedModule } from "./report.ts";

/** Words that stand for themselves: never declared anywhere. `action` and `run` belong to newer language versions. */
const BUILT_IN = new Set(["each", "count", "path", "terraform", "self", "action", "run"]);
/** Blocks whose names are no references into the module. */
const OPAQUE_BLOCKS = new Set(["terraform", "moved", "removed", "lifecycle"]);
/** Arguments that take bare words, by the block that holds them. */
const BARE_WORDS: Readonly<Record<string, readonly string[]>> = {
  resource: ["provider"],
  data: ["provider"],
  ephemeral: ["provider"],
  module: ["providers"],
  variable: ["type"],
  provisioner: ["when", "on_failure"],
  import: ["to", "provider"],
};
/** What can be referred to, where the block that is read stands. */
type Scope = {
  readonly file: string;
  /** Iterators of dynamic blocks. */
  readonly names: ReadonlySet<string>;
  /** Data blocks of an enclosing `check`. */
  readonly addresses: ReadonlySet<string>;
};

const CHECKED_BLOCKS = new Set([
  "resource",
  "data",
  "ephemeral",
  "module",
  "output",
  "locals",
  "provider",
  "variable",
  "check",
  "import",
]);

export function checkReferences(checked: CheckedModule): Finding[] {
  const findings: Finding[] = [];
  for (const { path, hcl, role } of checked.module.files) {
    if (role !== "module" && role !== "override") continue;
    const scope = { file: path, names: new Set<string>(), addresses: new Set<string>() };
    for (const block of hcl.body.blocks)
      if (CHECKED_BLOCKS.has(block.name)) checkBlock(checked, block, scope, findings);
  }
  return findings;
}

function checkBlock(checked: CheckedModule, block: Block, outer: Scope, found: Finding[]): void {
  const scope = scopeOf(block, outer);
  const bare = BARE_WORDS[block.name] ?? [];
  for (const attribute of block.body.attributes) {
    if (bare.includes(attribute.name)) continue;
    // The iterator of a dynamic block names it; its `for_each` stands outside of it.
    if (block.name === "dynamic" && attribute.name === "iterator") continue;
    const inside = attribute.name === "for_each" ? outer : scope;
    checkAttribute(checked, attribute, inside, found);
  }
  for (const nested of block.body.blocks) {
    if (nested.name === "lifecycle") checkConditions(checked, nested.body, scope, found);
    else if (!OPAQUE_BLOCKS.has(nested.name)) checkBlock(checked, nested, scope, found);
  }
}

/** Of `lifecycle` only the conditions refer to values; the rest are names of arguments. */
function checkConditions(checked: CheckedModule, body: Body, scope: Scope, found: Finding[]): void {
  for (const block of body.blocks)
    if (block.name === "precondition" || block.name === "postcondition")
      checkBlock(checked, block, scope, found);
}

function scopeOf(block: Block, outer: Scope): Scope {
  if (block.name === "dynamic") {
    const iterator = block.body.attributes.find(({ name }) => name === "iterator")?.value;
    const name = iterator?.name ?? iterator?.value ?? block.labels[0];
    return { ...outer, names: new Set([...outer.names, String(name)]) };
  }
  if (block.name !== "check") return outer;
  const data = block.body.blocks.filter(({ name }) => name === "data");
  return { ...outer, addresses: new Set(data.map(({ labels }) => `data.${labels.join(".")}`)) };
}

function checkAttribute(
  checked: CheckedModule,
  attribute: Attribute,
  scope: Scope,
  found: Finding[],
): void {
  for (const reference of attribute.value.references) {
    const message = faultOf(checked, reference, scope);
    if (message !== undefined)
      found.push(findingAt(scope.file, reference.span, "error", "HCL-REF", message));
  }
}

function faultOf(
  checked: CheckedModule,
  { steps: written }: Traversal,
  scope: Scope,
): string | undefined {
  // `resource.aws_vpc.x` is the long form of `aws_vpc.x`.
  const steps = written[0] === "resource" ? written.slice(1) : written;
  const [root = "", second] = steps;
  if (BUILT_IN.has(root) || scope.names.has(root)) return undefined;
  if (second === undefined)
    return mayBeHidden(checked.module, root)
      ? undefined
      : `"${root}" is no value by itself: quote it if it is text, or name an attribute of it`;
  const address = addressOf(steps);
  if (address === undefined || scope.addresses.has(address)) return undefined;
  if (checked.module.byAddress.has(address)) return outputFault(checked, steps);
  const name = address.slice(address.lastIndexOf(".") + 1);
  return mayBeHidden(checked.module, name) ? undefined : undeclared(checked, address);
}

const KINDS: Readonly<Record<string, string>> = {
  var: "variable",
  local: "local value",
  module: "module",
  data: "data source",
  ephemeral: "ephemeral resource",
};

function undeclared({ module }: CheckedModule, address: string): string {
  const root = address.slice(0, address.indexOf("."));
  const prefix = root in KINDS ? `${root}.` : "";
  const known = [...module.byAddress.keys()].filter((each) =>
    prefix === ""
      ? !/^(var|local|module|data|ephemeral|output)\./.test(each)
      : each.startsWith(prefix),
  );
  const what = KINDS[root] ?? "resource";
  const name =
    root === "var" || root === "local" || root === "module"
      ? address.slice(prefix.length)
      : address;
  const where = module.directory === "" ? "this module" : `module ${module.directory}`;
  return `undeclared ${what} "${name}": ${where} declares none of that name.${didYouMean(address, known)}`;
}

/** `module.x.y` where the called module is in the project and has no output `y`. */
function outputFault(
  { index, module }: CheckedModule,
  steps: readonly string[],
): string | undefined {
  if (steps[0] !== "module") return undefined;
  const output = nameAfter(steps);
  const call = module.calls.find(({ name }) => name === steps[1]);
  if (output === undefined || call?.directory === undefined) return undefined;
  const target = moduleAt(index, call.directory);
  if (target === undefined || target.byAddress.has(`output.${output}`)) return undefined;
  if (mayBeHidden(target, output)) return undefined;
  const outputs = target.declarations
    .filter(({ kind }) => kind === "output")
    .map(({ address }) => address.slice("output.".length));
  return `module "${call.name}" has no output "${output}" (declared in ${target.directory || "."}).${didYouMean(output, outputs)}`;
}
