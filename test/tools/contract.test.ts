// The contract of a tool, run over every member of all.ts.

import { expect, test } from "bun:test";
import * as all from "../../src/tools/all.ts";
import { registryOf } from "../../src/lib/registry.ts";
import { type ContractCase, toolContract } from "./contract.ts";

/** By tool name. A member without a case is tried with bad arguments only; its own tests do the rest. */
const CASES: Readonly<Record<string, Omit<ContractCase, "tool">>> = {
  agent: { args: { prompt: "count files", description: "count" } },
  bash: { args: { command: "echo x" }, slowArgs: { command: "sleep 60" } },
  edit_file: {
    files: { "a.tf": "x\n" },
    args: { path: "a.tf", old_string: "x", new_string: "y" },
  },
  glob: { args: { pattern: "**" }, slowArgs: { pattern: "**", path: "/" } },
  grep: {
    files: { "a.tf": "a".repeat(3_000) },
    args: { pattern: "a+", path: "." },
    slowArgs: { pattern: "a*a*a*a*a*b" },
  },
  iac_schema: { args: { type: "aws_instance" } },
  list_files: { args: { path: "." } },
  read_file: { files: { "a.tf": "x\n".repeat(5_000) }, args: { path: "a.tf" } },
  web_fetch: { args: { url: "http://127.0.0.1:9/" } },
  write_file: { args: { path: "a/b.tf", content: "x\n" } },
};

const registry = registryOf(all);
for (const tool of registry.all) toolContract({ tool, ...CASES[tool.name] });

test("every case belongs to a tool", () => {
  expect(Object.keys(CASES).filter((name) => !registry.get(name))).toEqual([]);
});
