// The Terraform example: every planted fault is found at its line, and nothing else is called wrong.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { fastValidate } from "../../../src/iac/validate.ts";
import planted from "../../fixtures/planted/terraform.json";

const EXAMPLE = join(import.meta.dir, "../../../examples/terraform");

test("fastValidate finds each planted fault of examples/terraform and no other", async () => {
  const { findings, notChecked } = await fastValidate(EXAMPLE, {}, new AbortController().signal);
  expect(findings.map(({ file, line, code }) => ({ file, line, code }))).toEqual(
    planted.map(({ file, line, code }) => ({ file, line, code })),
  );
  expect(notChecked).toEqual([]);
});
