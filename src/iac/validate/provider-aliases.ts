// `provider = aws.west` and `providers = { aws = aws.west }`: does the module know a configuration of that alias.

import type { Finding } from "../findings.ts";
import type { Block, Expression } from "../hcl/tree.ts";
import { attributeOf } from "../map/declarations.ts";
import { didYouMean } from "../nearest.ts";
import { findingAt, mayBeHidden, type CheckedModule } from "./report.ts";

export function checkProviderAliases({ module }: CheckedModule): Finding[] {
  const files = module.files.filter(({ role }) => role === "module" || role === "override");
  const known = new Set(files.flatMap(({ hcl }) => hcl.body.blocks.flatMap(aliasesOf)));
  return files.flatMap(({ path, hcl }) =>
    hcl.body.blocks.flatMap((block) =>
      usesOf(block).flatMap(({ steps, span }) => {
        const [name = "", alias] = steps;
        const full = `${name}.${alias ?? ""}`;
        if (alias === undefined || known.has(full) || mayBeHidden(module, alias)) return [];
        const message = `no provider "${name}" with the alias "${alias}" is configured in this module.${didYouMean(full, known)}`;
        return [findingAt(path, span, "error", "HCL-REF", message)];
      }),
    ),
  );
}

/** Configured here, or passed in by the caller (`configuration_aliases`). */
function aliasesOf(block: Block): string[] {
  if (block.name === "provider") {
    const alias = attributeOf(block.body, "alias")?.value.value;
    return alias === undefined ? [] : [`${block.labels[0] ?? ""}.${String(alias)}`];
  }
  if (block.name !== "terraform") return [];
  return block.body.blocks
    .filter(({ name }) => name === "required_providers")
    .flatMap(({ body }) => body.attributes.flatMap(({ value }) => value.references))
    .map(({ steps }) => steps.join("."));
}

function usesOf(block: Block): Expression["references"] {
  if (block.name === "module") {
    const entries = attributeOf(block.body, "providers")?.value.entries ?? [];
    return entries.flatMap(({ value }) => value.references);
  }
  const takesProvider = ["resource", "data", "ephemeral", "import"].includes(block.name);
  return (takesProvider ? attributeOf(block.body, "provider")?.value.references : undefined) ?? [];
}
