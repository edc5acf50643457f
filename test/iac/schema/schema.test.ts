// Schema indexes: their form, what is bundled, and what is said of names that do not exist.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { statSync } from "node:fs";
import { join } from "node:path";
import { formatFinding } from "../../../src/iac/findings.ts";
import { BUNDLED_SOURCES, openBundled } from "../../../src/iac/schema/bundled.ts";
import { describeType, similarTypeNames } from "../../../src/iac/schema/describe.ts";
import { fromProviderSchemas } from "../../../src/iac/schema/from-provider.ts";
import { speaksFor } from "../../../src/iac/schema/provider-of.ts";
import {
  createBlockTable,
  openSchemaIndex,
  type SchemaField,
} from "../../../src/iac/schema/schema-index.ts";
import { fastValidate } from "../../../src/iac/validate.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** Everything together; the whole of it is part of the binary. */
const MAX_BUNDLED_BYTES = 1_500_000;

async function schemaFindings(files: Readonly<Record<string, string>>): Promise<string[]> {
  await using dir = await tempDir({ ...files });
  const { findings } = await fastValidate(dir.path, {}, new AbortController().signal);
  return findings.filter(({ code }) => code === "IAC-SCHEMA").map(formatFinding);
}

test("a block comes back from its text as it was, whatever its marks", () => {
  const field = fc.record({
    name: fc.stringMatching(/^[A-Za-z_$][\w.$-]{0,20}$/),
    presence: fc.constantFrom("required", "optional", "computed", "optional_computed"),
    isDeprecated: fc.boolean(),
    isSensitive: fc.boolean(),
    nested: fc.option(fc.constantFrom("block", "object")),
  });
  fc.assert(
    fc.property(fc.uniqueArray(field, { selector: ({ name }) => name }), (drawn) => {
      const table = createBlockTable();
      const empty = table.add([]);
      const fields = drawn.map(({ nested, ...rest }): SchemaField =>
        nested === null ? { ...rest, form: "attribute" } : { ...rest, form: nested, inside: empty },
      );
      const at = table.add(fields);
      const index = openSchemaIndex({
        source: "a/b",
        version: "1.0.0",
        origin: "here",
        types: { t: at },
        blocks: [...table.blocks],
      });
      expect([...(index.typeOf("t")?.values() ?? [])].toSorted(byName)).toEqual(
        fields.toSorted(byName),
      );
      expect(index.typeOf("toString")).toBeUndefined();
    }),
  );
});

const byName = (a: SchemaField, b: SchemaField): number => (a.name < b.name ? -1 : 1);

test("every bundled index opens, says where it is from, and all of them stay small", async () => {
  let types = 0;
  for (const source of BUNDLED_SOURCES) {
    const index = await openBundled(source);
    expect(index?.origin).not.toBe("");
    for (const type of index?.typeNames ?? []) expect(index?.typeOf(type)).toBeDefined();
    types += index?.typeNames.length ?? 0;
  }
  expect(types).toBeGreaterThan(7_000);
  const folder = join(import.meta.dir, "../../../src/iac/schema/data");
  const bytes = [...new Bun.Glob("*.zst").scanSync(folder)]
    .map((name) => statSync(join(folder, name)).size)
    .reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeLessThan(MAX_BUNDLED_BYTES);
});

test("unknown arguments, blocks and types of Terraform are warnings that name the index and the nearest name", async () => {
  const found = await schemaFindings({
    "main.tf": `resource "aws_instance" "a" {
  ami          = "x"
  instance_typ = "t3.micro"
  arn          = "x"
  root_block_device {
    encryptd = true
  }
  dynamic "ebs_block_device" {
    for_each = []
    content {
      devce_name = "x"
    }
  }
  root_block_devise {}
  lifecycle {
    ignore_changes = [ami]
  }
}

resource "aws_s3_buckett" "b" {}

data "aws_ami" "x" {
  most_recnt = true
}
`,
  });
  const where = "(hashicorp/aws 6.25.0, bundled index)";
  expect(found).toEqual([
    `main.tf:3:3 warning IAC-SCHEMA unknown argument "instance_typ" of aws_instance ${where}. Did you mean instance_type?`,
    `main.tf:4:3 warning IAC-SCHEMA arn of aws_instance ${where} is set by the provider and cannot be given`,
    `main.tf:6:5 warning IAC-SCHEMA unknown argument "encryptd" of aws_instance ${where}. Did you mean encrypted?`,
    `main.tf:11:7 warning IAC-SCHEMA unknown argument "devce_name" of aws_instance ${where}. Did you mean device_name?`,
    `main.tf:14:3 warning IAC-SCHEMA unknown block "root_block_devise" of aws_instance ${where}. Did you mean root_block_device?`,
    "main.tf:20:10 warning IAC-SCHEMA there is no resource type aws_s3_buckett in hashicorp/aws 6.25.0, bundled index. Did you mean aws_s3_bucket?",
    `main.tf:23:3 warning IAC-SCHEMA unknown argument "most_recnt" of aws_ami ${where}. Did you mean most_recent?`,
  ]);
});

test("arguments of a provider are checked by the provider's own name", async () => {
  const found = await schemaFindings({
    "main.tf": `terraform {
  required_providers {
    cloud = {
      source = "hashicorp/aws"
    }
  }
}

provider "cloud" {
  regin = "eu-west-1"
  alias = "other"

  default_tags {
    tag = {}
  }
}
`,
  });
  const where = "of provider cloud (hashicorp/aws 6.25.0, bundled index)";
  expect(found).toEqual([
    `main.tf:10:3 warning IAC-SCHEMA unknown argument "regin" ${where}. Did you mean region?`,
    `main.tf:14:5 warning IAC-SCHEMA unknown argument "tag" ${where}. Did you mean tags?`,
  ]);
});

test("properties of CloudFormation, ROS and Kubernetes are checked, also inside of lists and of !If", async () => {
  const found = await schemaFindings({
    "cfn.yaml": `AWSTemplateFormatVersion: "2010-09-09"
Parameters:
  Stage:
    Type: String
Conditions:
  IsProd: !Equals [!Ref Stage, prod]
Resources:
  Bucket:
    Type: AWS::S3::Bucket
    Properties:
      BucketNam: a
      VersioningConfiguration: !If
        - IsProd
        - Statuss: Enabled
        - !Ref AWS::NoValue
      Tags:
        - Keyy: a
          Value: b
  Odd:
    Type: AWS::S3::Buckets
  Own:
    Type: Custom::Thing
    Properties:
      Anything: goes
`,
    "ros.yml": `ROSTemplateFormatVersion: "2015-09-01"
Resources:
  Group:
    Type: ALIYUN::ECS::SecurityGroup
    Properties:
      VpcIdd: x
`,
    "web.yaml": `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      containers:
        - name: web
          image: web:1
          resource:
            limits: { cpu: "1" }
---
apiVersion: example.com/v1
kind: Own
metadata:
  name: own
spec:
  anything: goes
`,
  });
  expect(found.map((line) => line.replace(/ of .*\(.*\)\./, " …"))).toEqual([
    'cfn.yaml:11:7 warning IAC-SCHEMA unknown property "BucketNam" … Did you mean BucketName?',
    'cfn.yaml:14:11 warning IAC-SCHEMA unknown property "Statuss" … Did you mean Status?',
    'cfn.yaml:17:11 warning IAC-SCHEMA unknown property "Keyy" … Did you mean Key?',
    "cfn.yaml:20:11 warning IAC-SCHEMA there is no type AWS::S3::Buckets in cfn-lint 1.51.0, bundled index. Did you mean AWS::S3::Bucket?",
    'ros.yml:6:7 warning IAC-SCHEMA unknown property "VpcIdd" … Did you mean VpcId?',
    'web.yaml:15:11 warning IAC-SCHEMA unknown property "resource" … Did you mean resources?',
  ]);
});

test("a provider of another major version, or a newer one, is not judged by the bundled index, and that is said", async () => {
  const project = (constraint: string, locked?: string) => ({
    "main.tf": `terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "${constraint}"
    }
  }
}

resource "aws_instance" "a" {
  no_such = 1
}
`,
    ...(locked === undefined
      ? {}
      : {
          ".terraform.lock.hcl": `provider "registry.terraform.io/hashicorp/aws" {\n  version = "${locked}"\n}\n`,
        }),
  });
  expect(await schemaFindings(project("~> 6.0"))).toHaveLength(1);
  expect(await schemaFindings(project("~> 6.0", "6.20.1"))).toHaveLength(1);
  expect(await schemaFindings(project("~> 6.0", "6.90.0"))).toEqual([]);
  expect(await schemaFindings(project("~> 5.0"))).toEqual([]);
  await using dir = await tempDir(project("~> 5.0", "5.99.0"));
  const { notChecked } = await fastValidate(dir.path, {}, new AbortController().signal);
  expect(notChecked).toContain(
    "arguments of hashicorp/aws 5.99.0: the bundled index knows 6.25.0; level full asks the installed provider",
  );
});

test("speaksFor wants the same major version, and nothing newer than the index", async () => {
  const aws = await openBundled("hashicorp/aws");
  if (aws === undefined) throw new Error("aws is bundled");
  const fits = (use: { locked?: string; constraint?: string }) =>
    speaksFor(aws, { name: "aws", ...use });
  expect([
    fits({}),
    fits({ locked: "6.25.0" }),
    fits({ locked: "6.25.1" }),
    fits({ locked: "5.0.0" }),
    fits({ constraint: ">= 4.0" }),
    fits({ constraint: "~> 4.0" }),
    fits({ constraint: "not a version" }),
  ]).toEqual([true, true, false, false, true, false, false]);
});

test("describeType names the nearest names, and where a name stands that was looked for elsewhere", async () => {
  const aws = await openBundled("hashicorp/aws");
  if (aws === undefined) throw new Error("aws is bundled");
  expect(describeType(aws, "aws_instance", ["root_block_device"])?.text).toContain("encrypted");
  const wrong = describeType(aws, "aws_instance", ["encrypted"]);
  expect(wrong?.isFound).toBe(false);
  expect(wrong?.text).toContain('aws_instance has no "encrypted".');
  expect(wrong?.text).toContain("It exists as aws_instance.ebs_block_device.encrypted");
  expect(describeType(aws, "aws_instance", ["ami"])?.text).toBe(
    "aws_instance.ami: optional argument.",
  );
  expect(describeType(aws, "aws_nothing", [])).toBeUndefined();
  expect(similarTypeNames(aws, "aws_s3_bucket_publik_access_block")).toContain(
    "aws_s3_bucket_public_access_block",
  );
});

test("the output of providers schema becomes an index with its marks", () => {
  const [index] = fromProviderSchemas(
    {
      provider_schemas: {
        "registry.terraform.io/acme/cloud": {
          provider: { block: { attributes: { token: { required: true, sensitive: true } } } },
          resource_schemas: {
            cloud_box: {
              block: {
                attributes: {
                  name: { type: "string", required: true },
                  old: { type: "string", optional: true, deprecated: true },
                  id: { type: "string", computed: true },
                  rules: { type: ["list", ["object", { port: "number" }]], optional: true },
                  nest: { nested_type: { attributes: { a: { optional: true } } }, optional: true },
                },
                block_types: {
                  disk: { block: { attributes: { size: { required: true } } }, min_items: 1 },
                },
              },
            },
          },
        },
      },
    },
    (source) => `${source}@1`,
  ).map(openSchemaIndex);
  expect(index?.version).toBe("acme/cloud@1");
  if (index === undefined) throw new Error("no index");
  expect(describeType(index, "cloud_box", [])?.text).toBe(
    [
      "cloud_box:",
      "Required: disk {…}, name",
      "Optional: old (deprecated)",
      "Optional, with fields of its own (ask again with path): nest = {…}, rules = {…}",
      "Set by the provider, cannot be given: id",
    ].join("\n"),
  );
  expect(describeType(index, "cloud_box", ["rules", "port"])?.isFound).toBe(true);
  expect(describeType(index, "provider.cloud", [])?.text).toContain("token (sensitive)");
  expect(fromProviderSchemas("nothing of the kind", () => "")).toEqual([]);
});
