// SARIF 2.1.0 from findings: shape, levels, rules told once, paths as URIs.

import { expect, test } from "bun:test";
import type { Finding } from "../../src/iac/findings.ts";
import { allRules } from "../../src/iac/rules/all.ts";
import { toSarif } from "../../src/iac/sarif.ts";

const finding = (over: Partial<Finding>): Finding => ({
  file: "main.tf",
  line: 3,
  column: 5,
  severity: "error",
  code: "IAC-AWS-001",
  message: "S3 bucket is public",
  ...over,
});

test("a finding becomes a result that points at its rule and place", () => {
  const [rule] = allRules.filter(({ id }) => id === "IAC-AWS-001");
  expect(toSarif([finding({})], { toolVersion: "1.2.3" })).toEqual({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "iac-code",
            version: "1.2.3",
            rules: [
              {
                id: "IAC-AWS-001",
                shortDescription: { text: `${rule?.title ?? ""}.` },
                fullDescription: { text: rule?.why ?? "" },
                help: {
                  text: rule?.fix ?? "",
                  markdown: `${rule?.why ?? ""}\n\n**Fix:** ${rule?.fix ?? ""}`,
                },
                defaultConfiguration: { level: "error" },
                properties: { tags: ["security"] },
              },
            ],
          },
        },
        columnKind: "utf16CodeUnits",
        originalUriBaseIds: { PROJECTROOT: { description: { text: "The project's root." } } },
        results: [
          {
            ruleId: "IAC-AWS-001",
            ruleIndex: 0,
            level: "error",
            message: { text: "S3 bucket is public" },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: "main.tf", uriBaseId: "PROJECTROOT" },
                  region: { startLine: 3, startColumn: 5 },
                },
              },
            ],
          },
        ],
      },
    ],
  });
});

test("rules are told once, in order, codes of tools without a description, and info is a note", () => {
  const sarif = toSarif(
    [
      finding({ code: "tflint:x", severity: "info" }),
      finding({}),
      finding({ line: 9 }),
      finding({ code: "CFN-REF", severity: "warning" }),
    ],
    { toolVersion: "0" },
  );
  expect(JSON.stringify(sarif).match(/"ruleIndex":\d,"level":"\w+"/g)).toEqual([
    '"ruleIndex":2,"level":"note"',
    '"ruleIndex":1,"level":"error"',
    '"ruleIndex":1,"level":"error"',
    '"ruleIndex":0,"level":"warning"',
  ]);
  expect(JSON.stringify(sarif)).toContain(
    '{"id":"CFN-REF","defaultConfiguration":{"level":"warning"}}',
  );
});

test("paths are encoded part by part", () => {
  const sarif = toSarif([finding({ file: "a b/100%#1/ü.tf" })], { toolVersion: "0" });
  expect(JSON.stringify(sarif)).toContain('"uri":"a%20b/100%25%231/%C3%BC.tf"');
});

test("no findings make a run without rules and results", () => {
  expect(JSON.stringify(toSarif([], { toolVersion: "0" }))).toContain('"results":[]');
});
