// How long the parser, the map and the fast checks take on a generated project of 5,000 blocks (about 1.9 MB).

import { parseHcl } from "../../src/iac/hcl/parse.ts";
import { fastValidate } from "../../src/iac/validate.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type Row, statsOf } from "./row.ts";
import { measureMap } from "./support-iac.ts";

const BLOCKS = 5_000;
const FILES = 100;
const RUNS = 15;

/** File name → text: ten modules of ten files, security groups and instances that refer to one another. */
export function generateProject(blocks = BLOCKS): Record<string, string> {
  const files: Record<string, string> = {};
  const perFile = blocks / FILES;
  for (let file = 0; file < FILES; file++) {
    const parts: string[] = [];
    if (file % 10 === 0) parts.push('variable "env" {\n  type = string\n}\n');
    for (let index = parts.length; index < perFile; index++) parts.push(resource(file, index));
    files[`module${Math.floor(file / 10)}/file${file}.tf`] = parts.join("\n");
  }
  return files;
}

function resource(file: number, index: number): string {
  const id = `r${file}_${index}`;
  return `resource "aws_security_group" "${id}" {
  name        = "service-${id}-\${var.env}"
  description = "Managed security group of the service ${id}, generated for measuring"
  ingress {
    from_port   = ${1000 + index}
    to_port     = ${1000 + index}
    protocol    = "tcp"
    cidr_blocks = ["10.0.0.0/16", "10.1.0.0/16"]
  }
  tags = { Name = "${id}", Environment = var.env, Owner = "platform" }
}
`;
}

async function measure(name: string, run: () => unknown): Promise<Row> {
  const times: number[] = [];
  for (let left = RUNS; left > 0; left--) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return { name, unit: "ms", ...statsOf(times) };
}

/** Rows of the table that `bun run bench` prints. */
export async function bench(): Promise<Row[]> {
  const files = generateProject();
  const texts = Object.values(files);
  await using dir = await tempDir(files);
  const { signal } = new AbortController();
  return [
    await measure("parse 5,000 HCL blocks", () => texts.map((text) => parseHcl(text))),
    await measureMap(dir.path),
    await measure("fast validation of 5,000 HCL blocks", () => fastValidate(dir.path, {}, signal)),
  ];
}

if (import.meta.main) console.table(await bench());
