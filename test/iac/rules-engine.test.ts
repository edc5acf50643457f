// The engine around the rules: silencing, fixes, modules, and values that only a run can tell.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { validateDocuments } from "../../src/iac/documents.ts";
import { parseHcl } from "../../src/iac/hcl/parse.ts";
import { fixOf } from "../../src/iac/rules/engine/patch.ts";
import { runRules } from "../../src/iac/rules/engine/run-rules.ts";
import type { HclSource } from "../../src/iac/rules/engine/source.ts";

const hcl = (text: string, file = "main.tf"): HclSource => ({
  dialect: "hcl",
  file,
  text,
  hcl: parseHcl(text),
});
const codesOf = (...sources: HclSource[]) => runRules(sources).findings.map(({ code }) => code);

test("an ignore mark on the line or above it silences one rule there and is counted", () => {
  const rule = (mark: string, above = "") => `resource "aws_db_instance" "main" {
  storage_encrypted   = true
  deletion_protection = true
  tags                = {}
${above}  publicly_accessible = true ${mark}
}
`;
  const run = (text: string) => {
    const { findings, ignored } = runRules([hcl(text)]);
    return [findings.map(({ code }) => code), ignored];
  };
  expect(run(rule(""))).toEqual([["IAC-AWS-008"], 0]);
  expect(run(rule("# iac-code:ignore IAC-AWS-008 a test database"))).toEqual([[], 1]);
  expect(run(rule("// iac-code:ignore IAC-AWS-008"))).toEqual([[], 1]);
  expect(run(rule("# iac-code:ignore IAC-AWS-001, IAC-AWS-008 both"))).toEqual([[], 1]);
  expect(run(rule("", "  # iac-code:ignore IAC-AWS-008 known\n"))).toEqual([[], 1]);
  expect(
    run(rule("", "  # iac-code:ignore IAC-AWS-008 known\n  # iac-code:ignore IAC-AWS-001 known\n")),
  ).toEqual([[], 1]);
  expect(run(rule("# iac-code:ignore IAC-AWS-007"))).toEqual([["IAC-AWS-008"], 0]);
  expect(run(rule("# iac-code:ignore"))).toEqual([["IAC-AWS-008"], 0]);
  expect(run(rule("# see iac-code:ignore IAC-AWS-008"))).toEqual([["IAC-AWS-008"], 0]);
});

test("ignore marks work in YAML, behind a value that holds a # too", () => {
  const text = `Resources:
  # iac-code:ignore IAC-AWS-036 public files
  Site:
    Type: AWS::S3::Bucket
    Properties:
      AccessControl: PublicRead # iac-code:ignore IAC-AWS-001 a web site
      BucketName: "a # b" # iac-code:ignore IAC-AWS-003
`;
  const report = validateDocuments([{ path: "a.yaml", text }]);
  expect(report.ignored).toBe(2);
  expect(report.findings.map(({ code }) => code)).not.toContain("IAC-AWS-001");
  expect(report.findings.map(({ code }) => code)).toContain("IAC-AWS-002");
});

test("a fix replaces the one place, with as many neighbouring lines as make it unique", () => {
  const text = `resource "aws_db_instance" "a" {
  publicly_accessible = true
}

resource "aws_db_instance" "b" {
  publicly_accessible = true
}
`;
  const fixes = runRules([hcl(text)]).findings.flatMap(({ fix, code }) =>
    fix === undefined || code !== "IAC-AWS-008" ? [] : [fix],
  );
  expect(fixes.length).toBe(2);
  for (const { oldText } of fixes) expect(text.split(oldText).length).toBe(2);
  const mended = fixes.reduce(
    (now, { oldText, newText }) => now.replace(oldText, () => newText),
    text,
  );
  expect(mended).toBe(text.replaceAll("true", "false"));
});

test("a place that its surroundings cannot tell from another one gets no fix", () => {
  const text = "x = true\n".repeat(40);
  const start = 20 * 9 + 4;
  const span = { start, end: start + 4, line: 21, column: 5 };
  expect(fixOf(text, { span, newText: "false" }, "t")).toBeUndefined();
});

test("fixOf: whatever the text, the old text stands once and the result is the replacement", () => {
  const line = fc.constantFrom("a = true", "b = true", "  c = true", "}", "", "x {\r");
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), fc.nat(), (lines, pick) => {
      const text = lines.join("\n");
      const places = [...text.matchAll(/true/g)].map(({ index }) => index);
      const start = places[pick % Math.max(places.length, 1)];
      if (start === undefined) return;
      const span = { start, end: start + 4, line: 1, column: 1 };
      const fix = fixOf(text, { span, newText: "false" }, "t");
      if (fix === undefined) return;
      expect(text.indexOf(fix.oldText)).toBe(text.lastIndexOf(fix.oldText));
      expect(text.replace(fix.oldText, () => fix.newText)).toBe(
        `${text.slice(0, start)}false${text.slice(start + 4)}`,
      );
    }),
  );
});

test("values that only a run can tell raise nothing", () => {
  expect(
    codesOf(
      hcl(`resource "aws_db_instance" "main" {
  storage_encrypted       = var.encrypted
  deletion_protection     = local.protected
  publicly_accessible     = var.environment == "dev" ? true : false
  backup_retention_period = var.days
  password                = random_password.db.result
  tags                    = merge(var.tags, { a = "b" })
}

resource "aws_security_group_rule" "web" {
  type        = "ingress"
  from_port   = var.port
  to_port     = var.port
  protocol    = "tcp"
  cidr_blocks = ["0.0.0.0/0"]
}

resource "aws_iam_policy" "p" {
  policy = file("policy.json")
}

resource "aws_instance" "i" {
  tags = {}
  dynamic "metadata_options" {
    for_each = var.options
    content {
      http_tokens = metadata_options.value
    }
  }
}
`),
    ),
  ).toEqual([]);
});

test("files of one directory are one module, other directories are others", () => {
  const bucket = 'resource "aws_s3_bucket" "logs" {\n  bucket = "logs"\n}\n';
  const block =
    'resource "aws_s3_bucket_public_access_block" "logs" {\n  bucket = aws_s3_bucket.logs.id\n}\n';
  expect(codesOf(hcl(bucket, "a/main.tf"), hcl(block, "a/block.tf"))).not.toContain("IAC-AWS-002");
  expect(codesOf(hcl(bucket, "a/main.tf"), hcl(block, "b/block.tf"))).toContain("IAC-AWS-002");
  const other = block.replace("aws_s3_bucket.logs.id", "aws_s3_bucket.logs2.id");
  expect(codesOf(hcl(bucket, "a/main.tf"), hcl(other, "a/block.tf"))).toContain("IAC-AWS-002");
});

test("an override file speaks for the block it overrides", () => {
  const main = `resource "aws_db_instance" "main" {
  storage_encrypted   = true
  publicly_accessible = true
  tags                = {}
}
`;
  const override = (value: boolean) => `resource "aws_db_instance" "main" {
  publicly_accessible = ${value}
  deletion_protection = true
}
`;
  expect(codesOf(hcl(main), hcl(override(false), "db_override.tf"))).toEqual([]);
  const { findings } = runRules([hcl(main), hcl(override(true), "override.tf")]);
  expect(findings.map(({ file, line, code }) => `${file}:${line} ${code}`)).toEqual([
    "override.tf:2 IAC-AWS-008",
  ]);
});

test("a policy as quoted JSON, as heredoc with interpolation and as indented heredoc is read", () => {
  const quoted = `resource "aws_iam_policy" "p" {
  policy = "{\\"Statement\\": {\\"Effect\\": \\"Allow\\", \\"Action\\": \\"*\\", \\"Resource\\": \\"*\\"}}"
}
`;
  const heredoc = (marker: string) => `resource "aws_iam_policy" "p" {
  policy = ${marker}EOF
    {
      "Statement": [
        {"Effect": "Allow", "Action": ["s3:Get*"], "Resource": "\${var.arn}/{x}"},
        {"Effect": "Allow", "Action": ["*"], "Resource": ["*"]}
      ]
    }
  ${marker === "<<" ? "" : "  "}EOF
}
`;
  const lineOf = (text: string) =>
    runRules([hcl(text)]).findings.map(({ line, code }) => `${line} ${code}`);
  expect(lineOf(quoted)).toEqual(["2 IAC-AWS-015"]);
  expect(lineOf(heredoc("<<-"))).toEqual(["6 IAC-AWS-015"]);
  expect(lineOf(heredoc("<<"))).toEqual(["6 IAC-AWS-015"]);
});

test("secrets: names and values that only look like some are left alone", () => {
  const text = `resource "aws_x" "a" {
  kms_key                 = "alias/data-key"
  public_key              = "ssh-rsa AAAAB3NzaC1yc2E"
  secret_name             = "database"
  password_policy         = "strict"
  token                   = "\${var.token}"
  password                = "changeme"
  master_password         = ""
  hash_key                = "customer"
  manage_master_password  = "true"
  secret_arn              = "arn:aws:secretsmanager:eu-west-1:1:secret:x"
  access_key              = var.key
}
`;
  expect(codesOf(hcl(text))).toEqual([]);
});

test("lists and maps in the branches of an Fn::If are looked into, a choice between plain values is left alone", () => {
  const text = `AWSTemplateFormatVersion: "2010-09-09"
Parameters:
  Stage: { Type: String }
Conditions:
  IsDev: !Equals [!Ref Stage, dev]
Resources:
  Group:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: g
      SecurityGroupIngress: !If
        - IsDev
        - - IpProtocol: tcp
            FromPort: 22
            ToPort: 22
            CidrIp: 0.0.0.0/0
        - !Ref AWS::NoValue
  Database:
    Type: AWS::RDS::DBInstance
    DeletionPolicy: Retain
    UpdateReplacePolicy: Retain
    Properties:
      PubliclyAccessible: !If [IsDev, true, false]
`;
  const { findings } = validateDocuments([{ path: "t.yaml", text }]);
  const open = findings.filter(({ message }) => /22|0\.0\.0\.0/.test(message));
  expect(open.map(({ line, code }) => [line, code.slice(0, 7)])).toEqual([[16, "IAC-AWS"]]);
  expect(findings.map(({ code }) => code)).not.toContain("IAC-AWS-008");
});
