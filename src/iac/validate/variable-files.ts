// Values given to variables that nobody declares, in `.tfvars` files. Only names are told: the values may be secrets.

import type { Finding } from "../findings.ts";
import { directoryOf } from "../map/project-index.ts";
import { didYouMean } from "../nearest.ts";
import { findingAt, mayBeHidden, type CheckedModule } from "./report.ts";

export function checkVariableFiles({ index, module }: CheckedModule): Finding[] {
  const declared = module.declarations
    .filter(({ kind }) => kind === "variable")
    .map(({ address }) => address.slice("var.".length));
  const known = new Set(declared);
  return index.variableFiles
    .filter(({ path }) => directoryOf(path) === module.directory)
    .flatMap(({ path, hcl }) =>
      hcl.body.attributes.flatMap(({ name, nameSpan }) => {
        if (known.has(name) || mayBeHidden(module, name)) return [];
        const message = `a value for the variable "${name}", which this module does not declare.${didYouMean(name, declared)}`;
        return [findingAt(path, nameSpan, "warning", "HCL-TFVARS", message)];
      }),
    );
}
