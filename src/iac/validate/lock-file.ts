// `.terraform.lock.hcl`: signs of an edit by hand, and versions that the module's own requirements rule out.
// https://developer.hashicorp.com/terraform/language/files/dependency-lock

import type { Finding } from "../findings.ts";
import type { Block } from "../hcl/tree.ts";
import { attributeOf, textOf } from "../map/declarations.ts";
import type { TerraformFile, TerraformModule } from "../map/project-index.ts";
import { satisfies } from "../versions.ts";
import { findingAt, type CheckedModule } from "./report.ts";

/** The first line that the tools write. */
const HEADER = /^# This file is maintained automatically by "(?:terraform|tofu) init"\./;
/** SHA-256 of the package's files in base64, or of its archive in hex. */
const HASH = /^(?:h1:[A-Za-z0-9+/]{43}=|zh:[0-9a-f]{64})$/;
const REMEDY = "restore it and run `init -upgrade` instead of editing it";

export function checkLockFile({ module }: CheckedModule): Finding[] {
  return module.files
    .filter(({ role }) => role === "lock")
    .flatMap((file) => [
      ...headerFault(file),
      ...file.hcl.body.blocks.flatMap((block) => [
        ...entryFaults(file.path, block),
        ...ruledOut(module, file.path, block),
      ]),
    ]);
}

function headerFault({ path, text }: TerraformFile): Finding[] {
  if (HEADER.test(text)) return [];
  const span = { start: 0, end: 0, line: 1, column: 1 };
  const message = `the lock file lacks the header of its tool: ${REMEDY}`;
  return [findingAt(path, span, "warning", "HCL-LOCK", message)];
}

function entryFaults(path: string, block: Block): Finding[] {
  const address = block.labels[0] ?? "";
  const version = textOf(block.body, "version");
  const constraints = textOf(block.body, "constraints");
  const findings: Finding[] = [];
  const add = (span: Block["span"], message: string) =>
    findings.push(findingAt(path, span, "error", "HCL-LOCK", `${message}: ${REMEDY}`));
  if (version === undefined) add(block.nameSpan, `${address} has no locked version`);
  else if (constraints !== undefined && satisfies(version, constraints) === false)
    add(
      attributeOf(block.body, "version")?.nameSpan ?? block.nameSpan,
      `${address} is locked to ${version}, which its own constraints "${constraints}" rule out`,
    );
  for (const hash of attributeOf(block.body, "hashes")?.value.items ?? [])
    if (typeof hash.value !== "string" || !HASH.test(hash.value))
      add(hash.span, `a hash of ${address} is malformed`);
  return findings;
}

function ruledOut(module: TerraformModule, path: string, block: Block): Finding[] {
  const address = block.labels[0]?.split("/").slice(-2).join("/");
  const version = textOf(block.body, "version");
  const use = module.providers.find(
    ({ name, source }) => (source ?? `hashicorp/${name}`) === address,
  );
  if (version === undefined || use?.constraint === undefined) return [];
  if (satisfies(version, use.constraint) !== false) return [];
  const message = `provider ${use.name} is locked to ${version}, but the module requires "${use.constraint}": run \`init -upgrade\``;
  const span = attributeOf(block.body, "version")?.nameSpan ?? block.nameSpan;
  return [findingAt(path, span, "warning", "HCL-LOCK", message)];
}
