// The README alone, followed as a newcomer does: the editor's settings start an agent that works, and the server's line serves one.

import { expect, test } from "bun:test";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { openAgent } from "../support/acp-client.ts";

import { runCli } from "../support/run-cli.ts";
import { snippetsOf } from "../support/snippets.ts";
import { QUOTED_PROGRAM } from "../support/program.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";

const readme = readFileSync(join(import.meta.dir, "../../README.md"), "utf8");
const settings = z.object({
  agent_servers: z.record(z.string(), z.object({ command: z.string(), args: z.array(z.string()) })),
});

/** A folder for PATH with `iac-code` in it. */
async function installed(): Promise<TempDir> {
  const folder = await tempDir({ "iac-code": `#!/bin/sh\nexec ${QUOTED_PROGRAM} "$@"\n` });
  chmodSync(folder.file("iac-code"), 0o755);
  return folder;
}

test("the README's settings for Zed start an agent that reviews a project", async () => {
  await using bin = await installed();
  await using project = await tempDir({
    "main.tf": 'resource "aws_s3_bucket_acl" "a" {\n  bucket = "b"\n  acl    = "public-read"\n}\n',
  });
  const block = snippetsOf(readme).find(({ text }) => text.includes("agent_servers"))?.text ?? "";
  const { agent_servers } = settings.parse(Bun.JSONC.parse(block));
  const { command = "", args = [] } = agent_servers["iac-code"] ?? {};
  expect(args[0]).toBe("acp");
  await using agent = await openAgent("stdio", {
    command: [join(bin.path, command)],
    args: args.slice(1),
    env: { OLLAMA_HOST: "127.0.0.1:9" },
  });
  const sessionId = await agent.newSession(project.path);
  await agent.prompt(sessionId, "Review this project");
  expect(agent.text(sessionId)).toContain("main.tf:3:3 error IAC-AWS-001");
});

test("the README's line for a remote server serves one that its own client uses", async () => {
  const line = /`IACCODE_ACP_HTTP_TOKEN=… iac-code (acp [^`]+)`/.exec(readme)?.[1] ?? "";
  const token = "a-token-of-a-newcomer";
  await using project = await tempDir({ "main.tf": "" });
  await using agent = await openAgent("http", {
    args: line.split(" ").slice(1),
    env: { OLLAMA_HOST: "127.0.0.1:9", IACCODE_ACP_HTTP_TOKEN: token },
  });
  const run = ["run", "Review this project", "--connect", agent.process.url, "--cwd", project.path];
  const result = await runCli(run, { env: { IACCODE_ACP_HTTP_TOKEN: token } });
  expect(result.code).toBe(0);
  expect(result.out).toContain("offline reviewer");
});

test("every command in the README's first lines is a script of the package", () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(import.meta.dir, "../../package.json"), "utf8")));
  const named = [...readme.matchAll(/\bbun(?:@[\d.]+)? run ([a-z]+)/g)].map(([, name]) => name);
  expect(named).toContain("demo");
  for (const name of named) expect(scripts).toHaveProperty(name ?? "");
});
