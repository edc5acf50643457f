// Short forms of HCL with the verdict of `terraform fmt -`: the parser must agree with each.

import { expect, test } from "bun:test";
import { parseHcl } from "../../../src/iac/hcl/parse.ts";
import { tempDir } from "../../support/temp-dir.ts";
import forms from "../../fixtures/hcl/forms.json";

const terraform = Bun.which("terraform");

test("parseHcl finds a fault exactly where terraform fmt refuses a form", () => {
  const wrong = forms.filter((form) => (parseHcl(form.text).faults.length === 0) !== form.valid);
  expect(wrong).toEqual([]);
  expect(forms.filter((form) => form.valid).length).toBeGreaterThanOrEqual(60);
  expect(forms.filter((form) => !form.valid).length).toBeGreaterThanOrEqual(60);
});

test.skipIf(terraform === null)(
  "terraform itself (if installed) gives the stored verdicts",
  async () => {
    await using dir = await tempDir(
      Object.fromEntries(forms.map((form, index) => [`form${index}.tf`, form.text])),
    );
    // A folder in one run: the same check as `fmt -`, without a process for each form.
    await using child = Bun.spawn(
      [terraform ?? "terraform", "fmt", "-no-color", "-write=false", "-list=false"],
      { cwd: dir.path, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
    );
    const report = await child.stderr.text();
    const refused = new Set(
      [...report.matchAll(/^ {2}on form(\d+)\.tf line/gm)].map((match) => Number(match[1])),
    );
    const disagree = forms.filter((form, index) => form.valid === refused.has(index));
    expect(disagree).toEqual([]);
  },
);
