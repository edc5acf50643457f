// Variables and locals that nothing in their module reads, and data sources that nothing uses.

import type { Finding } from "../findings.ts";
import { referencesIn } from "../map/declarations.ts";
import { addressOf } from "../map/queries.ts";
import { findingAt, mayBeHidden, type CheckedModule } from "./report.ts";

export function checkUnused({ module }: CheckedModule): Finding[] {
  const used = new Set<string>();
  for (const { hcl } of module.files)
    for (const block of hcl.body.blocks)
      for (const { steps } of referencesIn(block.body)) {
        const address = addressOf(steps);
        // A variable's own validation does not make it used.
        const isOwn = block.name === "variable" && address === `var.${block.labels[0] ?? ""}`;
        if (address !== undefined && !isOwn) used.add(address);
      }
  return module.declarations.flatMap(({ address, kind, file, span }) => {
    if (kind !== "variable" && kind !== "local" && kind !== "data") return [];
    const name = address.slice(address.lastIndexOf(".") + 1);
    if (used.has(address) || mayBeHidden(module, name)) return [];
    const severity = kind === "data" ? "info" : "warning";
    const what = kind === "data" ? `data source ${address}` : `${kind} "${name}"`;
    return [
      findingAt(
        file,
        span,
        severity,
        "HCL-UNUSED",
        `${what} is declared but never used in its module`,
      ),
    ];
  });
}
