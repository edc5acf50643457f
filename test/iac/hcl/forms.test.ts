// Short forms of HCL with the verdict of `terraform fmt -`: the parser must agree with each.

import { expect, test } from "bun:test";
import fc from "fast-check";
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

/** Numbers of the texts that terraform fmt refuses; a folder in one run, without a process for each text. */
async function refusedByTerraform(texts: readonly string[]): Promise<ReadonlySet<number>> {
  await using dir = await tempDir(
    Object.fromEntries(texts.map((text, index) => [`form${index}.tf`, text])),
  );
  await using child = Bun.spawn(
    [terraform ?? "terraform", "fmt", "-no-color", "-write=false", "-list=false"],
    { cwd: dir.path, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
  );
  const report = await child.stderr.text();
  const refused = report.matchAll(/^ {2}on form(\d+)\.tf line/gm);
  return new Set([...refused].map((match) => Number(match[1])));
}

test.skipIf(terraform === null)(
  "terraform itself (if installed) gives the stored verdicts",
  async () => {
    const refused = await refusedByTerraform(forms.map(({ text }) => text));
    expect(forms.filter((form, index) => form.valid === refused.has(index))).toEqual([]);
  },
);

test.skipIf(terraform === null)(
  "parseHcl and terraform (if installed) agree on random changes of valid forms",
  async () => {
    const valid = forms.filter(({ valid: isValid }) => isValid).map(({ text }) => text);
    const pieces = fc.constantFrom(
      ...'{ } ( ) [ ] , . ... * = ? : " # - ! / \\ ${ %{ ~} for in if a 1 0.1 => <<A A .* [*]'.split(
        " ",
      ),
      "\n",
      " ",
      "",
    );
    const changed = fc
      .tuple(fc.constantFrom(...valid), fc.nat(), fc.nat(3), pieces)
      .map(([text, at, length, piece]) => {
        const start = at % (text.length + 1);
        return text.slice(0, start) + piece + text.slice(start + length);
      });
    // Half of a surrogate pair cannot be written to a file as it is.
    const texts = fc.sample(changed, 400).filter((text) => text.isWellFormed());
    const refused = await refusedByTerraform(texts);
    const disagree = texts.filter(
      (text, index) => parseHcl(text).faults.length > 0 !== refused.has(index),
    );
    expect(disagree).toEqual([]);
  },
);
