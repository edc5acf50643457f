// Calls of modules that lie in the project: does the directory hold a module, are its arguments right and complete.

import type { Finding } from "../findings.ts";
import type { Block } from "../hcl/tree.ts";
import { attributeOf, localDirectory, overridesOf } from "../map/declarations.ts";
import {
  moduleAt,
  type Declaration,
  type ModuleCall,
  type ProjectIndex,
  type TerraformModule,
} from "../map/project-index.ts";
import { didYouMean } from "../nearest.ts";
import { findingAt, mayBeHidden, type CheckedModule } from "./report.ts";

/** Arguments of the call itself. */
const META = new Set([
  "source",
  "version",
  "count",
  "for_each",
  "providers",
  "depends_on",
  "enabled",
]);

export function checkModuleCalls({ index, module }: CheckedModule): Finding[] {
  return module.calls.flatMap((call) => {
    const target = call.directory === undefined ? undefined : moduleAt(index, call.directory);
    const { file, block } = call.declaration;
    if (block === undefined) return [];
    if (target === undefined) return missingDirectory(index, module, call);
    return [...unknownArguments(file, block, target), ...missingArguments(module, call, target)];
  });
}

/** Not said of what was not read: paths that leave the project, links, or anything when the index is incomplete. */
function missingDirectory(
  { unread, notices }: ProjectIndex,
  module: TerraformModule,
  { source, declaration }: ModuleCall,
): Finding[] {
  const directory = source === undefined ? undefined : localDirectory(module.directory, source);
  const body = declaration.block?.body;
  const argument = body === undefined ? undefined : attributeOf(body, "source");
  if (directory === undefined || argument === undefined || notices.length > 0) return [];
  const touches = (path: string) =>
    directory === path || directory.startsWith(`${path}/`) || path.startsWith(`${directory}/`);
  if (unread.some(touches)) return [];
  const message = `the source "${source ?? ""}" holds no Terraform files (${directory || "."})`;
  return [findingAt(declaration.file, argument.value.span, "error", "HCL-MODULE", message)];
}

const variablesOf = (target: TerraformModule): Declaration[] =>
  target.declarations.filter(({ kind }) => kind === "variable");

const nameOf = ({ address }: Declaration): string => address.slice("var.".length);

function unknownArguments(file: string, block: Block, target: TerraformModule): Finding[] {
  const names = variablesOf(target).map(nameOf);
  const known = new Set(names);
  return block.body.attributes.flatMap(({ name, nameSpan }) => {
    if (META.has(name) || known.has(name) || mayBeHidden(target, name)) return [];
    const message = `module "${block.labels[0] ?? ""}" has no variable "${name}" (declared in ${target.directory || "."}).${didYouMean(name, names)}`;
    return [findingAt(file, nameSpan, "error", "HCL-MODULE", message)];
  });
}

function missingArguments(
  module: TerraformModule,
  { name, declaration }: ModuleCall,
  target: TerraformModule,
): Finding[] {
  const { block, file } = declaration;
  if (block === undefined) return [];
  const bodies = [block, ...overridesOf(module.files, "module", name)].map(({ body }) => body);
  return variablesOf(target).flatMap((variable) => {
    const label = nameOf(variable);
    const sources = [
      ...(variable.block === undefined ? [] : [variable.block]),
      ...overridesOf(target.files, "variable", label),
    ];
    const isOptional = sources.some(({ body }) => attributeOf(body, "default") !== undefined);
    const isGiven = bodies.some((body) => attributeOf(body, label) !== undefined);
    if (isOptional || isGiven || mayBeHidden(module, label) || mayBeHidden(target, label))
      return [];
    const message = `module "${name}" needs the argument "${label}" (${variable.file}:${variable.span.line} has no default)`;
    return [findingAt(file, declaration.span, "error", "HCL-MODULE", message)];
  });
}
