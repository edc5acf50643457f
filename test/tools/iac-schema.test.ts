// iac_schema: from the installed provider where there is one, else from the bundled index, else it does not know.

import { expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { existsSync, readFileSync } from "node:fs";
import { indexProject } from "../../src/iac/map.ts";
import { installedSchemas } from "../../src/tools/iac-programs/provider-schemas.ts";
import { iacValidate } from "../../src/tools/iac-validate.ts";
import { iacSchema } from "../../src/tools/iac-schema.ts";
import { tempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";

const { signal } = new AbortController();

async function ask(
  args: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  await using dir = await tempDir({ ...files });
  await using tools = await toolContext(dir.path);
  return (await tools.run(iacSchema, args)).text;
}

test("a Terraform type is described from the bundled index, which is named with its version and origin", async () => {
  const text = await ask({ type: "aws_db_instance" });
  expect(text).toContain("Required: instance_class");
  expect(text).toContain("storage_encrypted");
  expect(text).toContain("restore_to_point_in_time {…}");
  expect(text).toContain(
    "(the bundled index of 6.25.0, from @cdktf/provider-aws 21.22.1 (npm, MPL-2.0)",
  );
});

test("a wrong argument is answered with the nearest real names", async () => {
  expect(await ask({ type: "aws_db_instance", path: "storage_encryption" })).toContain(
    "storage_encrypted",
  );
  expect(await ask({ type: "aws_databse_instance" })).toContain("There is no type");
});

test("another version than the bundled one is said to be another", async () => {
  const text = await ask({ type: "aws_instance", version: "4.1.0" });
  expect(text).toContain("This is not the version that is used or asked for (4.1.0)");
});

test("CloudFormation, ROS and Kubernetes types are known too", async () => {
  expect(await ask({ type: "AWS::S3::Bucket", path: "VersioningConfiguration" })).toContain(
    "Status",
  );
  expect(await ask({ type: "ALIYUN::ECS::SecurityGroup" })).toContain("VpcId");
  const pod = await ask({ type: "Deployment", path: "spec.template.spec" });
  expect(pod).toContain("apps/v1/Deployment.spec.template.spec:");
  expect(pod).toContain("Required: containers");
  expect(await ask({ type: "v1 Service", path: "spec" })).toContain("clusterIP");
});

test("what is not known is said to be unknown, with what can be done", async () => {
  const files = {
    "main.tf":
      'terraform {\n  required_providers {\n    alicloud = {\n      source = "aliyun/alicloud"\n    }\n  }\n}\n',
  };
  const text = await ask({ type: "alicloud_instance" }, files);
  expect(text).toContain("The schema of aliyun/alicloud is not known here.");
  expect(text).toContain("do not guess");
});

const LOCK = `provider "registry.terraform.io/acme/cloud" {\n  version = "2.3.4"\n}\n`;
const OUTPUT = JSON.stringify({
  provider_schemas: {
    "registry.terraform.io/acme/cloud": {
      resource_schemas: {
        cloud_box: { block: { attributes: { colour: { type: "string", required: true } } } },
      },
    },
  },
});

test("an installed provider is asked once for its lock file, and then known without running anything", async () => {
  await using bin = await tempDir({
    terraform: `#!/bin/sh\necho run >> "$(dirname "$0")/runs"\ncat <<'E'\n${OUTPUT}\nE\n`,
  });
  await chmod(bin.file("terraform"), 0o755);
  await using dir = await tempDir({
    ".terraform.lock.hcl": LOCK,
    "main.tf":
      'terraform {\n  required_providers {\n    cloud = {\n      source = "acme/cloud"\n    }\n  }\n}\n\nresource "cloud_box" "a" {\n  color = 1\n}\n',
  });
  await using cache = await tempDir();
  await using tools = await toolContext(dir.path, {
    settings: {
      fetchAllowPrivate: [],
      cacheDir: cache.path,
      iacBinary: bin.file("terraform"),
    },
  });
  for (const _ of [1, 2]) {
    const { text } = await tools.run(iacSchema, { type: "cloud_box" });
    expect(text).toContain("Required: colour");
    expect(text).toContain("acme/cloud 2.3.4, the installed provider of .");
  }
  expect(readFileSync(bin.file("runs"), "utf8")).toBe("run\n");
  const { text } = await tools.run(iacValidate, {});
  expect(text).toContain(
    'main.tf:10:3 error IAC-SCHEMA unknown argument "color" of cloud_box (acme/cloud 2.3.4). Did you mean colour?',
  );
  expect(readFileSync(bin.file("runs"), "utf8")).toBe("run\n");
  expect(existsSync(cache.file("schemas"))).toBe(true);
});

test.skipIf(Bun.which("terraform") === null)(
  "the real terraform is asked for its built-in provider (skipped without terraform)",
  async () => {
    await using dir = await tempDir({ "main.tf": 'resource "terraform_data" "a" {}\n' });
    const index = await indexProject(dir.path, signal);
    const [module] = index.modules;
    if (module === undefined) throw new Error("no module");
    const binary = Bun.which("terraform") ?? "";
    const place = { root: dir.path, env: process.env, signal, binary, cacheDir: dir.file("cache") };
    const schemas = await installedSchemas(module, place);
    if (typeof schemas === "string") throw new Error(schemas);
    const data = schemas.find(({ source }) => source === "builtin/terraform");
    expect([...(data?.typeOf("terraform_data")?.keys() ?? [])]).toEqual([
      "id",
      "input",
      "output",
      "triggers_replace",
    ]);
  },
);
