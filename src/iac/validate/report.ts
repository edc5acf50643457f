// How a check says what it found.

import { escapeInvisible } from "../../lib/text.ts";
import type { Finding, Severity } from "../findings.ts";
import type { Span } from "../hcl/tree.ts";
import type { ProjectIndex, TerraformModule } from "../map/project-index.ts";

/** One module to check, in its project. Checks are pure: the same texts give the same findings. */
export type CheckedModule = { readonly index: ProjectIndex; readonly module: TerraformModule };

export function findingAt(
  file: string,
  span: Span,
  severity: Severity,
  code: string,
  message: string,
): Finding {
  const { line, column } = span;
  // Names in it come from the files: they may hold line breaks and worse.
  return { file, line, column, severity, code, message: escapeInvisible(message, "") };
}

/**
 * True when a file of the module was not read, or does not parse and mentions the name: what looks undeclared or unused
 * may only be hidden there. The fault, or the file, is reported by itself.
 */
export function mayBeHidden(module: TerraformModule, name: string): boolean {
  return (
    module.isPartial ||
    module.files.some(({ hcl, text }) => hcl.faults.length > 0 && text.includes(name))
  );
}
