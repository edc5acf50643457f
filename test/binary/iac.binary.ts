// What the compiled program embeds for infrastructure code: the schema indexes are there, whatever the current folder.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { tempDir } from "../support/temp-dir.ts";

const BINARY = join(import.meta.dir, "../../dist/iac-code");

test("the bundled schemas are in the binary", async () => {
  await using project = await tempDir({
    "main.tf": 'resource "aws_instance" "a" {\n  instance_typ = "t3.micro"\n}\n',
    "cfn.yaml":
      "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  B:\n    Type: AWS::S3::Bucket\n    Properties:\n      BucketNam: b\n",
  });
  await using child = Bun.spawn([BINARY, "review"], {
    cwd: project.path,
    env: { PATH: process.env["PATH"] ?? "", HOME: project.path },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const out = await child.stdout.text();
  expect(out).toContain("Did you mean instance_type?");
  expect(out).toContain("Did you mean BucketName?");
});
