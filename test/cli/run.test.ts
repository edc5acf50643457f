// `iac-code run`, as a script uses it.

import { expect, test } from "bun:test";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fakeModel, status, text, toolCall } from "../support/fake-model.ts";
import { QUOTED_PROGRAM } from "../support/program.ts";
import { runCli } from "../support/run-cli.ts";
import { spawnAgent } from "../support/agent-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const FILES = { "main.tf": 'resource "terraform_data" "x" {\n  input = "one"\n}\n' };

test("run prints the answer on stdout and everything else on stderr", async () => {
  await using project = await tempDir(FILES);
  await using model = await fakeModel([
    toolCall("read_file", { path: "main.tf" }),
    text("It has one resource."),
  ]);
  const result = await runCli(["run", "What is here?"], { cwd: project.path, env: model.env() });
  expect(result.out).toBe("It has one resource.\n");
  expect(result.err).toBe("● Read main.tf\n✔ Read main.tf\n");
  expect(result.code).toBe(0);
  model.assertValid();
});

test("run takes the prompt from stdin with -", async () => {
  await using project = await tempDir(FILES);
  await using model = await fakeModel([text("Yes.")]);
  const result = await runCli(["run", "-", "--cwd", project.path], {
    stdin: "From a pipe",
    env: model.env(),
  });
  expect([result.out, result.code]).toEqual(["Yes.\n", 0]);
  expect(model.requests[0]?.messages.at(-1)?.["content"]).toBe("From a pipe");
});

test("run --json writes one update a line and nothing else on stdout", async () => {
  await using project = await tempDir(FILES);
  await using model = await fakeModel([text("One.")]);
  const result = await runCli(["run", "Hi", "--json"], { cwd: project.path, env: model.env() });
  const kinds = result.out
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { sessionUpdate: string }).sessionUpdate);
  expect(kinds).toContain("agent_message_chunk");
  expect(result.code).toBe(0);
});

test("run without a terminal denies what would ask and exits 3", async () => {
  await using project = await tempDir(FILES);
  await using model = await fakeModel([
    toolCall("write_file", { path: "new.tf", content: "# x\n" }),
    text("Not written."),
  ]);
  const result = await runCli(["run", "Write"], { cwd: project.path, env: model.env() });
  expect(result.code).toBe(3);
  expect(result.err).toContain("nobody is there to ask");
  expect(await Bun.file(project.file("new.tf")).exists()).toBe(false);
});

test("run --mode accept_edits writes without asking", async () => {
  await using project = await tempDir(FILES);
  await using model = await fakeModel([
    toolCall("write_file", { path: "new.tf", content: "# x\n" }),
    text("Written."),
  ]);
  const result = await runCli(["run", "Write", "--mode", "accept_edits"], {
    cwd: project.path,
    env: model.env(),
  });
  expect(result.code).toBe(0);
  expect(readFileSync(project.file("new.tf"), "utf8")).toBe("# x\n");
});

test("run --session goes on with a stored session", async () => {
  await using project = await tempDir(FILES);
  await using home = await tempDir();
  await using model = await fakeModel([text("First."), text("Second.")]);
  const options = { cwd: project.path, env: model.env(), home: home.path };
  await runCli(["run", "One"], options);
  const listed = await runCli(["sessions", "list"], options);
  const id = /sess_\w+/.exec(listed.out)?.[0] ?? "";
  const result = await runCli(["run", "Two", "--session", id], options);
  expect(result.out).toBe("Second.\n");
  expect(model.requests[1]?.messages.slice(1).map(({ content }) => content)).toEqual([
    "One",
    "First.",
    "Two",
  ]);
});

test("run --connect drives a remote server", async () => {
  await using project = await tempDir(FILES);
  await using model = await fakeModel([text("From afar.")]);
  const token = "a-token-of-this-test";
  await using server = await spawnAgent("http", {
    env: { ...model.env(), IACCODE_ACP_HTTP_TOKEN: token },
  });
  const connect = ["run", "Hi", "--connect", server.url, "--cwd", project.path];
  const result = await runCli(connect, { env: { IACCODE_ACP_HTTP_TOKEN: token } });
  expect([result.out, result.code]).toEqual(["From afar.\n", 0]);
  const refused = await runCli(connect);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("401");
});

test("run says why an endpoint failed and exits 1", async () => {
  await using project = await tempDir(FILES);
  await using model = await fakeModel([status(401, {}, { error: { message: "bad key" } })]);
  const result = await runCli(["run", "Hi"], { cwd: project.path, env: model.env() });
  expect(result.code).toBe(1);
  expect(result.err).toContain("401");
});

test("run says what to do next after each kind of failure", async () => {
  await using project = await tempDir(FILES);
  await using model = await fakeModel([
    status(401, {}, { error: { message: "bad key" } }),
    toolCall("write_file", { path: "new.tf", content: "# x\n" }),
    text("Not written."),
  ]);
  const options = { cwd: project.path, env: model.env() };
  const next = async (...args: readonly string[]) => (await runCli(["run", ...args], options)).err;
  expect(await next("Hi")).toContain("iac-code: Check the key: iac-code doctor");
  expect(await next("Write")).toContain("--mode accept_edits");
  expect(await next("Hi", "--session", "sess_none")).toContain("iac-code sessions list");
  const unreachable = "http://127.0.0.1:9/acp";
  expect(await next("Hi", "--connect", unreachable)).toContain(
    `Is iac-code acp --transport http running at ${unreachable}`,
  );
});

test("run without a model reviews by rules, names every planted fault and says how to connect a model", async () => {
  await using project = await tempDir();
  const root = join(import.meta.dir, "../..");
  cpSync(join(root, "examples/terraform"), project.path, { recursive: true });
  const planted = JSON.parse(
    readFileSync(join(root, "test/fixtures/planted/terraform.json"), "utf8"),
  ) as { file: string; line: number; code: string }[];
  const result = await runCli(["run", "Review this project and offer safe fixes."], {
    cwd: project.path,
  });
  for (const { file, line, code } of planted)
    expect(result.out).toMatch(
      new RegExp(`${file.replaceAll(".", "\\.")}:${line}:\\d+ \\w+ ${code} `),
    );
  expect(result.out).toContain("OPENAI_API_KEY");
  expect(result.err).toContain("denied");
  expect(result.code).toBe(3);
});

test("wrong usage exits 2 with the way to the help", async () => {
  for (const args of [
    ["run"],
    ["run", "a", "b"],
    ["run", "x", "--bogus"],
    ["run", "x", "--cwd"],
    ["nonsense"],
    [],
  ]) {
    const result = await runCli(args);
    expect([args, result.code, result.out]).toEqual([args, 2, ""]);
    expect(result.err).toMatch(/--help|Usage/);
  }
});

test("a reader that left before the first word ends --version and --help with 0 and without a word", async () => {
  await using dir = await tempDir();
  for (const flag of ["--version", "--help"]) {
    const writer = `until [ -e gone ]; do sleep 0.02; done; ${QUOTED_PROGRAM} ${flag}; echo "ended with $?" >&2`;
    const line = `rm -f gone; { ${writer}; } | { exec <&-; touch gone; }`;
    const run = Bun.spawnSync(["sh", "-c", line], { cwd: dir.path });
    expect(run.stderr.toString()).toBe("ended with 0\n");
  }
});

test("--version and --help print on stdout", async () => {
  expect((await runCli(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  for (const args of [
    ["--help"],
    ["run", "--help"],
    ["acp", "--help"],
    ["sessions", "--help"],
    ["models", "--help"],
  ]) {
    const result = await runCli(args);
    expect([result.code, result.err]).toEqual([0, ""]);
    expect(result.out).toContain("iac-code");
  }
});

test("run in a directory that does not exist says so", async () => {
  const result = await runCli(["run", "Hi", "--cwd", "/no/such/folder"]);
  expect(result.code).toBe(1);
  expect(result.err).toContain("cwd: does not exist");
});
