// What is left when something is missing or too much: no program installed, no git, no provider, a broken project, one
// of 5,000 blocks, one of 200 root modules. Said, never silent, and never a crash.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { chmod } from "node:fs/promises";
import { diffCode } from "../../../src/tools/plan-diff.ts";
import { formatFinding } from "../../../src/iac/findings.ts";
import { projectBrief } from "../../../src/iac/map/brief.ts";
import { indexProject } from "../../../src/iac/map.ts";
import { fastValidate } from "../../../src/iac/validate.ts";
import { fullValidate } from "../../../src/tools/iac-programs/full-validate.ts";
import { generateProject } from "../../bench/iac-map.ts";
import { tempDir } from "../../support/temp-dir.ts";

const { signal } = new AbortController();

const MODULE = `terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.0"
    }
  }
}

resource "aws_instance" "a" {
  ami           = var.ami
  instance_type = "t3.micro"
}
`;

test("without any program, level full says what each of them would have looked at", async () => {
  await using dir = await tempDir({
    "main.tf": MODULE,
    "cfn.yaml": "AWSTemplateFormatVersion: '2010-09-09'\nResources: {}\n",
    "pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n",
    "play.yml": "- hosts: all\n  tasks: []\n",
  });
  const index = await indexProject(dir.path, signal);
  const report = await fullValidate({ root: dir.path, index, signal, env: { PATH: "/nowhere" } });
  expect(report.ran).toEqual([]);
  expect(report.findings.map(({ code }) => code)).toContain("HCL-REF");
  expect(report.notChecked).toEqual([
    "Ansible playbooks: only ansible-lint (level full) reads them",
    "formatting and provider schemas: neither tofu nor terraform is installed",
    "resource properties of CloudFormation templates: cfn-lint is not installed",
    "provider rules of Terraform modules: tflint is not installed",
    "fields of Kubernetes manifests: kubeconform is not installed",
    "Ansible playbooks: ansible-lint is not installed",
  ]);
});

test("without a provider cache, full names the modules that were never initialised, and the bundled index speaks", async () => {
  await using bin = await tempDir({ terraform: "#!/bin/sh\nexit 0\n" });
  await chmod(bin.file("terraform"), 0o755);
  await using dir = await tempDir({ "live/main.tf": MODULE.replace("ami  ", "amii ") });
  const index = await indexProject(dir.path, signal);
  const report = await fullValidate({ root: dir.path, index, signal, env: { PATH: bin.path } });
  expect(report.notChecked).toContain(
    "provider schemas of live: it was never initialised (`terraform init`)",
  );
  expect(report.findings.map(formatFinding).join("\n")).toContain(
    'live/main.tf:11:3 warning IAC-SCHEMA unknown argument "amii" of aws_instance',
  );
});

test("outside of git, a comparison says why there is none", async () => {
  await using dir = await tempDir({ "main.tf": MODULE });
  const compared = await diffCode(dir.path, { root: dir.path, base: "HEAD", signal });
  expect(compared.ok).toBe(false);
  if (!compared.ok) expect(compared.why).not.toBe("");
});

test("a broken project is reported file by file, and what is whole in it is still checked", async () => {
  await using dir = await tempDir({
    "a/main.tf": 'resource "aws_instance" "a" {\n  ami = \n',
    "b/main.tf": 'output "o" {\n  value = var.nope\n}\n',
    "c/cfn.yaml": "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  A: [\n",
    "d/main.tf.json": '{"resource": ',
    "e/empty.tf": "",
    "f/binary.tf": new TextDecoder("latin1").decode(
      new Uint8Array(Array.from({ length: 256 }, (_, at) => at)),
    ),
    "g/pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: [}\n",
  });
  const { findings } = await fastValidate(dir.path, {}, signal);
  const broken = new Set(
    findings.filter(({ code }) => code.endsWith("-SYNTAX")).map(({ file }) => file),
  );
  expect([...broken].toSorted()).toEqual([
    "a/main.tf",
    "c/cfn.yaml",
    "d/main.tf.json",
    "f/binary.tf",
    "g/pod.yaml",
  ]);
  expect(findings.map(formatFinding).join("\n")).toContain("b/main.tf:2:11 error HCL-REF");
});

test("any text in any of the files is answered with findings, never with an error", async () => {
  const name = fc.constantFrom(
    "main.tf",
    "x.tf.json",
    "a.yaml",
    "b.json",
    "terraform.tfvars",
    ".terraform.lock.hcl",
    "terragrunt.hcl",
  );
  const word = fc.constantFrom(
    'resource "a_b" "c" {',
    "}",
    "Resources:",
    "  Type: AWS::S3::Bucket",
    "apiVersion: v1",
    "kind: Pod",
    '{"resource":{"a":{"b":{}}}}',
    "!If [a, {b: c}, d]",
    "<<EOT",
    "${",
    "\u0000",
  );
  const text = fc.array(fc.oneof(word, fc.string({ unit: "binary", maxLength: 20 })), {
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, text, { minKeys: 1 }), async (drawn) => {
      const files = Object.entries(drawn).map(([path, lines]) => [path, lines.join("\n")] as const);
      await using dir = await tempDir(Object.fromEntries(files));
      const { findings } = await fastValidate(dir.path, {}, signal);
      for (const { line, column } of findings) expect(Math.min(line, column)).toBeGreaterThan(0);
    }),
    { numRuns: 60 },
  );
});

test("5,000 blocks are mapped and validated to the end", async () => {
  await using dir = await tempDir(generateProject());
  const report = await fastValidate(dir.path, {}, signal);
  expect(report.checked.terraformFiles).toBe(100);
  expect(report.notChecked).toEqual([]);
  expect(report.findings.filter(({ severity }) => severity === "error")).toEqual([]);
}, 60_000);

test("a monorepo of 200 root modules is mapped whole, its brief stays short, and full says what it left out", async () => {
  await using bin = await tempDir({ terraform: '#!/bin/sh\n[ "$1" = fmt ] || echo "{}"\n' });
  await chmod(bin.file("terraform"), 0o755);
  const files = Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [
      `stacks/team${at % 10}/stack${at}/main.tf`,
      `variable "stage" {\n  type = string\n}\n\nresource "terraform_data" "a" {\n  input = var.${at === 137 ? "stge" : "stage"}\n}\n`,
    ]),
  );
  await using dir = await tempDir(files);
  const index = await indexProject(dir.path, signal);
  expect(index.modules.filter(({ role }) => role === "root")).toHaveLength(200);
  expect(projectBrief(index).length).toBeLessThan(8_000);
  const project = { root: dir.path, index, signal, env: { PATH: bin.path } };
  const report = await fullValidate(project);
  const errors = report.findings.filter(({ severity }) => severity === "error");
  expect(errors.map(({ file }) => file)).toEqual(["stacks/team7/stack137/main.tf"]);
  expect(report.notChecked).toContain(
    "terraform validate of 180 more: give paths to have them checked",
  );
  const one = await fullValidate(project, ["stacks/team7/stack137"]);
  expect(one.notChecked.join()).not.toContain("more: give paths");
}, 60_000);
