// bash with real processes: what is kept, what is shown, what is stopped, and what must never be.

import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import type { CommandAnalysis, CommandClass } from "../../src/conversation/access.ts";
import { commandEnvironment } from "../../src/tools/bash-env.ts";
import { OutputKeeper } from "../../src/tools/bash-output.ts";
import { promptHint } from "../../src/tools/bash-prompt.ts";
import { createBash } from "../../src/tools/bash.ts";
import { takeNotices } from "../../src/tools/tool-session.ts";
import type { ClientTerminal } from "../../src/tools/tool.ts";
import { tempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";

const bashOfClass = (of: CommandClass, argv: readonly string[] = []) =>
  createBash(async (): Promise<CommandAnalysis> => ({
    class: of,
    commands: [{ argv, class: of, scope: [], reads: [], writes: [] }],
    warnings: [],
  }));
const bash = bashOfClass("read");

async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("The condition did not hold in time");
    await Bun.sleep(10);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("the title is the command, the access its analysis, the preview all of it", async () => {
  await using dir = await tempDir();
  await using tools = await toolContext(dir.path);
  const call = await tools.prepare(bash, { command: "echo  a\n\u202eb", description: "greets" });
  expect(call.title).toBe("echo a \\u{202e}b");
  expect(call.rawInput).toEqual({ command: "echo  a\n\u202eb", description: "greets" });
  expect(call.access).toMatchObject({
    type: "command",
    command: "echo  a\n\u202eb",
    cwd: { path: dir.path, realPath: dir.path },
    analysis: { class: "read" },
  });
  expect(await call.preview(tools.context)).toEqual({
    ok: true,
    content: [{ type: "text", text: "```sh\necho  a\n\\u{202e}b\n```" }],
  });
});

test("output, exit code and signal are told", async () => {
  await using dir = await tempDir();
  await using tools = await toolContext(dir.path);
  const texts: string[] = [];
  for (const command of ["echo out; echo err >&2", "true", "exit 3", "kill -KILL $$", "cat; pwd"])
    texts.push((await tools.run(bash, { command })).text);
  expect(texts).toEqual([
    "out\nerr",
    "(no output)",
    "(no output)\n[Exit code 3.]",
    "(no output)\n[Ended by signal SIGKILL.]",
    dir.path,
  ]);
});

test("our keys and hidden settings are not in the environment, cloud keys are", () => {
  const env = commandEnvironment({
    PATH: "/bin",
    IACCODE_ACP_HTTP_TOKEN: "x",
    OPENAI_API_KEY: "x",
    ANTHROPIC_API_KEY: "x",
    BUN_OPTIONS: "x",
    BUN_BE_BUN: "1",
    TF_CLI_ARGS_apply: "-auto-approve",
    "BASH_FUNC_terraform%%": "() { :; }",
    BASH_ENV: "x",
    DD_API_KEY: "kept",
    AWS_SECRET_ACCESS_KEY: "kept",
    TF_INPUT: "1",
  });
  expect(env).toEqual({
    PATH: "/bin",
    DD_API_KEY: "kept",
    AWS_SECRET_ACCESS_KEY: "kept",
    TF_IN_AUTOMATION: "1",
    TF_INPUT: "0",
    CHECKPOINT_DISABLE: "1",
    GIT_TERMINAL_PROMPT: "0",
    DEBIAN_FRONTEND: "noninteractive",
    PAGER: "cat",
    GIT_PAGER: "cat",
    NO_COLOR: "1",
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: "safe.bareRepository",
    GIT_CONFIG_VALUE_0: "explicit",
    GIT_CONFIG_KEY_1: "core.fsmonitor",
    GIT_CONFIG_VALUE_1: "false",
  });
  const more = commandEnvironment({
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.directory",
    GIT_CONFIG_VALUE_0: "*",
  });
  expect([more["GIT_CONFIG_COUNT"], more["GIT_CONFIG_KEY_0"], more["GIT_CONFIG_KEY_2"]]).toEqual([
    "3",
    "safe.directory",
    "core.fsmonitor",
  ]);
});

test.skipIf(Bun.which("git") === null)(
  "a folder that only looks like a repository runs no program of its own (needs git)",
  async () => {
    await using dir = await tempDir({
      "sub/HEAD": "ref: refs/heads/main\n",
      "sub/config": `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch ran; false"\n`,
      "sub/objects/.keep": "",
      "sub/refs/.keep": "",
    });
    await using tools = await toolContext(dir.path);
    const { text } = await tools.run(bash, { command: "cd sub && git status; git diff" });
    expect(text).toContain("bare repository");
    expect([...new Bun.Glob("**/ran").scanSync({ cwd: dir.path })]).toEqual([]);
  },
);

test("large output keeps head, tail and the lines of a plan; all of it is in a private file", async () => {
  await using dir = await tempDir();
  await using tools = await toolContext(dir.path);
  const command =
    "seq 1 20000; echo '  # aws_db_instance.main must be replaced'; echo 'Plan: 1 to add, 0 to change, 1 to destroy.'; seq 20001 40000";
  const result = await tools.run(bash, { command });
  expect(result.text.length).toBeLessThan(33_000);
  expect(result.text).toStartWith("1\n2\n3\n");
  expect(result.text).toContain("  # aws_db_instance.main must be replaced\nPlan: 1 to add");
  expect(result.text).toContain("\n40000\n[The whole output is in ");
  const path = /whole output is in (\S+)\.\]/.exec(result.text)?.[1] ?? "";
  expect((await readFile(path, "utf8")).split("\n").length).toBe(40_003);
  expect([
    (await stat(path)).mode & 0o777,
    (await stat(tools.session.outputDir)).mode & 0o777,
  ]).toEqual([0o600, 0o700]);
});

test("a flood of output stays flat in memory and in what is sent", async () => {
  await using dir = await tempDir();
  await using tools = await toolContext(dir.path);
  // What is in use, without garbage: the process ran other tests before this one.
  const held = () => {
    Bun.gc(true);
    return heapStats().heapSize;
  };
  const before = held();
  let most = before;
  const sampling = setInterval(() => (most = Math.max(most, held())), 250);
  const result = await tools.run(bash, { command: "yes 0123456789 | head -c 300000000" });
  clearInterval(sampling);
  most = Math.max(most, held());
  expect(result.ok).toBe(true);
  const sent = JSON.stringify(tools.progress).length + JSON.stringify(result.content).length;
  expect(sent).toBeLessThan(100_000);
  expect(most - before).toBeLessThan(60_000_000);
});

test("the first output is shown at once, and later at most four times a second", async () => {
  await using dir = await tempDir();
  await using tools = await toolContext(dir.path);
  const running = tools.run(bash, {
    command:
      "echo https://login.example; for i in $(seq 1 60); do echo $i; sleep 0.01; done; until [ -e go ]; do sleep 0.02; done",
  });
  await until(() => tools.progress.length > 0, 1_000);
  expect(JSON.stringify(tools.progress[0])).toContain("https://login.example");
  await writeFile(dir.file("go"), "");
  await running;
  expect(tools.progress.length).toBeLessThan(8);
});

test("a command that leaves a child behind returns at once; the child ends with the session", async () => {
  await using dir = await tempDir();
  const tools = await toolContext(dir.path);
  const started = performance.now();
  const result = await tools.run(bash, { command: "sleep 300 & echo done" });
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(result.text).toStartWith("done\n[It left processes running (pid ");
  const pid = Number(/pid (\d+)/.exec(result.text)?.[1]);
  expect([isAlive(pid), tools.session.background.size]).toEqual([true, 1]);
  await tools[Symbol.asyncDispose]();
  expect(tools.session.background.size).toBe(0);
  await until(() => !isAlive(pid));
});

test("a time limit ends the whole group and says how to go on", async () => {
  await using dir = await tempDir();
  await using tools = await toolContext(dir.path);
  const result = await tools.run(bash, {
    command: "echo start; sleep 300 | sleep 300",
    timeout_ms: 200,
  });
  expect(result.ok).toBe(false);
  expect(result.text).toStartWith("start\n[Stopped after its time limit of 200 ms.");
  expect(result.rawOutput).toEqual({ end: "timed_out" });
});

test("an abort answers at once, even when the command ignores TERM", async () => {
  await using dir = await tempDir();
  await using tools = await toolContext(dir.path);
  const running = tools.run(bash, {
    command: "trap '' TERM; echo up; while :; do sleep 0.05; done",
  });
  await until(() => tools.progress.length > 0);
  const started = performance.now();
  tools.abort();
  expect((await running).text).toBe("up\n[Cancelled.]");
  expect(performance.now() - started).toBeLessThan(500);
  expect(tools.session.ending.size).toBe(1);
});

test("a question nobody can answer is recognised", async () => {
  await using dir = await tempDir();
  await using tools = await toolContext(dir.path);
  const result = await tools.run(bash, {
    command: "printf 'Delete it? [y/N] '; read -r x || exit 1",
  });
  expect(result.text).toContain("It seems to have waited for input");
  expect(promptHint("terraform apply", "  Enter a value: ")).toContain("-input=false");
  expect(promptHint("terraform apply", "Error: error asking for approval: EOF")).toContain(
    "iac_apply",
  );
  expect(promptHint("make", "make: *** [all] Error 1")).toBeUndefined();
});

test("there is no terminal to ask on and no input to wait for", async () => {
  await using dir = await tempDir();
  await using tools = await toolContext(dir.path);
  const ends: unknown[] = [];
  for (const command of [
    "read x; echo $?",
    "cat",
    "tty; true",
    "{ echo hi > /dev/tty; } 2>/dev/null; echo $?",
    "echo $GIT_TERMINAL_PROMPT $DEBIAN_FRONTEND $TF_INPUT $TF_IN_AUTOMATION",
  ])
    ends.push((await tools.run(bash, { command, timeout_ms: 5_000 })).text);
  expect(ends).toEqual(["1", "(no output)", "not a tty", "1", "0 noninteractive 0 1"]);
});

for (const [program, command] of [
  ["git", "git clone https://127.0.0.1:9/private/x"],
  ["ssh", "ssh -o ConnectTimeout=2 -p 9 127.0.0.1"],
  ["sudo", "sudo -k; sudo -S true"],
  ["python3", "python3 -c 'input()'"],
] as const)
  test.skipIf(Bun.which(program) === null)(
    `${program} ends by itself where it would ask (needs ${program})`,
    async () => {
      await using dir = await tempDir({ "main.tf": "x" });
      await using tools = await toolContext(dir.path);
      const { rawOutput } = await tools.run(bash, { command, timeout_ms: 20_000 });
      expect(rawOutput).toMatchObject({ end: "exited" });
    },
  );

test.skipIf(Bun.which("vi") === null)(
  "an editor that waits for keys ends with its time limit, which says what to do (needs vi)",
  async () => {
    await using dir = await tempDir({ "main.tf": "x" });
    await using tools = await toolContext(dir.path);
    const { ok, text } = await tools.run(bash, { command: "vi main.tf", timeout_ms: 500 });
    expect(ok).toBe(false);
    expect(text).toMatch(/If it waited for an answer, give it by a flag|Exit code/);
  },
);

test("a terraform that asks is told apart, with the flag that answers it", async () => {
  await using dir = await tempDir({
    terraform: `#!/bin/bash
case "$1" in
  apply) printf 'Do you want to perform these actions?\n  Only '"'"'yes'"'"' will be accepted to approve.\n\n  Enter a value: '; read -r x || { echo; echo 'Error: error asking for approval: EOF'; exit 1; } ;;
  plan) echo 'Error: No value for required variable'; exit 1 ;;
  init) printf 'Do you want to migrate all workspaces to "s3"?\n  Enter a value: '; read -r x || exit 1 ;;
  login) printf 'Do you want to proceed?\n  Enter a value: '; read -r x || exit 1 ;;
esac
`,
  });
  await chmod(dir.file("terraform"), 0o755);
  await using tools = await toolContext(dir.path);
  for (const verb of ["apply", "plan", "init", "login"]) {
    const tool = bashOfClass(verb === "apply" ? "mutate" : "read", ["terraform", verb]);
    const { ok, text } = await tools.run(tool, { command: `./terraform ${verb}` });
    expect([verb, ok]).toEqual([verb, false]);
    expect(text).toContain("-input=false");
    expect(text).toContain("plan with iac_plan and apply that plan with iac_apply");
  }
});

test("a background command is started, listed, stoppable, and says when it ended", async () => {
  await using dir = await tempDir();
  await using tools = await toolContext(dir.path);
  const server = await tools.run(bash, { command: "echo ready; sleep 300", background: true });
  const { pid, logPath } = server.rawOutput as { pid: number; logPath: string };
  expect(server.text).toContain(`\`kill -- -${pid}\``);
  await until(async () => (await readFile(logPath, "utf8")) === "ready\n");
  await tools.run(bash, { command: `kill -- -${pid}` });
  await until(() => tools.session.background.size === 0);
  expect(takeNotices(tools.session)).toEqual([
    `The background command \`echo ready; sleep 300\` (pid ${pid}) has ended with signal SIGTERM. Its output is in ${logPath}.`,
  ]);
});

const FAKE_TERRAFORM = `#!/bin/bash
echo "applying $1"
interrupts=0
trap 'interrupts=$((interrupts+1)); echo "Interrupt received."' INT
trap 'echo "terminated" > killed' TERM
for i in 1 2 3; do sleep 300 & done
echo up > up
while [ $interrupts -eq 0 ]; do sleep 0.05; done
sleep 0.3
echo "interrupts=$interrupts" > terraform.tfstate
echo "state written"
kill $(jobs -p) 2>/dev/null
exit 1
`;

async function withTerraform(): Promise<Awaited<ReturnType<typeof tempDir>>> {
  const dir = await tempDir({ terraform: FAKE_TERRAFORM });
  await chmod(dir.file("terraform"), 0o755);
  return dir;
}

test("a cancelled apply answers at once, is interrupted once, writes its state, and the next turn is told", async () => {
  await using dir = await withTerraform();
  await using tools = await toolContext(dir.path);
  const apply = bashOfClass("mutate", ["./terraform", "apply"]);
  const running = tools.run(apply, {
    command: "cd . && ./terraform apply | tee copy.log; echo next > next",
    timeout_ms: 1,
  });
  await until(() => Bun.file(dir.file("up")).exists());
  const started = performance.now();
  tools.abort();
  const result = await running;
  expect(performance.now() - started).toBeLessThan(500);
  expect(result.text).toContain("asked to stop (one SIGINT) and has up to 10 minutes");
  const [stopping] = tools.session.stopping.values();
  const sentence = (await stopping?.ended) ?? "";
  expect(await readFile(dir.file("terraform.tfstate"), "utf8")).toBe("interrupts=1\n");
  expect(await Bun.file(dir.file("killed")).exists()).toBe(false);
  expect(sentence).toContain("state written");
  await until(() => tools.session.stopping.size === 0);
  expect(takeNotices(tools.session)).toEqual([sentence]);
});

test("disposing a session leaves a stopping apply alone", async () => {
  await using dir = await withTerraform();
  const tools = await toolContext(dir.path);
  const running = tools.run(bashOfClass("destroy", ["terraform", "destroy"]), {
    command: "./terraform destroy",
  });
  await until(() => Bun.file(dir.file("up")).exists());
  tools.abort();
  await running;
  const [stopping] = tools.session.stopping.values();
  await tools[Symbol.asyncDispose]();
  await stopping?.ended;
  expect(await readFile(dir.file("terraform.tfstate"), "utf8")).toBe("interrupts=1\n");
});

test("an apply goes on to its end when this program ends after the cancel", async () => {
  await using dir = await withTerraform();
  const source = (path: string) => JSON.stringify(join(import.meta.dir, "../..", path));
  await writeFile(
    dir.file("host.ts"),
    `import { createBash } from ${source("src/tools/bash.ts")};
import { toolContext } from ${source("test/support/tool-context.ts")};
const analysis = { class: "mutate", commands: [{ argv: ["terraform"], class: "mutate", scope: [], reads: [], writes: [] }], warnings: [] };
const tools = await toolContext(process.cwd());
const running = tools.run(createBash(async () => analysis), { command: "./terraform apply" });
while (!(await Bun.file("up").exists())) await Bun.sleep(10);
tools.abort();
console.log((await running).text);
`,
  );
  await using host = Bun.spawn([process.execPath, "host.ts"], {
    cwd: dir.path,
    stdout: "pipe",
    stderr: "inherit",
  });
  const started = performance.now();
  expect(await new Response(host.stdout).text()).toContain("asked to stop (one SIGINT)");
  expect(await host.exited).toBe(0);
  expect(performance.now() - started).toBeLessThan(10_000);
  await until(() => Bun.file(dir.file("terraform.tfstate")).exists());
  expect(await readFile(dir.file("terraform.tfstate"), "utf8")).toBe("interrupts=1\n");
});

test("an apply that was put behind with & is waited for, not killed with what is left", async () => {
  await using dir = await tempDir({
    terraform: "#!/bin/bash\ntrap 'echo killed > killed' TERM\nsleep 0.5\necho written > state\n",
  });
  await chmod(dir.file("terraform"), 0o755);
  await using tools = await toolContext(dir.path);
  const apply = bashOfClass("mutate", ["terraform", "apply"]);
  expect((await tools.run(apply, { command: "./terraform apply & exit 0" })).ok).toBe(true);
  expect(await readFile(dir.file("state"), "utf8")).toBe("written\n");
  expect(await Bun.file(dir.file("killed")).exists()).toBe(false);
});

test("an apply that ends by itself is an ordinary result", async () => {
  await using dir = await tempDir({
    terraform: "#!/bin/bash\necho 'Apply complete! Resources: 1 added.'\n",
  });
  await chmod(dir.file("terraform"), 0o755);
  await using tools = await toolContext(dir.path);
  const result = await tools.run(bashOfClass("mutate", ["terraform", "apply"]), {
    command: "./terraform apply",
  });
  expect([result.ok, result.text.split("\n")[0]]).toEqual([
    true,
    "Apply complete! Resources: 1 added.",
  ]);
  expect(
    await bashOfClass("mutate", ["terraform"]).prepare(
      { command: "terraform apply", background: true },
      tools.context,
    ),
  ).toEqual({
    ok: false,
    text: "background: a command that changes infrastructure does not run in the background. Run it without.",
  });
});

type FakeTerminal = ClientTerminal & { readonly calls: string[] };
function fakeTerminal(outcome: "ok" | "fails" | "refuses" | "waits"): FakeTerminal {
  const calls: string[] = [];
  return {
    calls,
    run: async (command, _options, signal) => {
      calls.push(`run ${command}`);
      if (outcome === "refuses") return undefined;
      const aborted = new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      return {
        terminalId: "term-1",
        finished:
          outcome === "fails"
            ? Promise.reject(new Error("gone"))
            : (outcome === "waits" ? aborted : Promise.resolve()).then(() => ({
                output: "from client",
                truncated: false,
                exitCode: 0,
              })),
        release: async () => {
          calls.push("release");
        },
      };
    },
  };
}

test("a client's terminal runs the command, is embedded, and always released", async () => {
  await using dir = await tempDir();
  const ends: unknown[] = [];
  for (const outcome of ["ok", "fails", "refuses", "waits"] as const) {
    const terminal = fakeTerminal(outcome);
    await using tools = await toolContext(dir.path, { terminal });
    const result = await tools.run(bash, {
      command: "echo here",
      timeout_ms: outcome === "waits" ? 50 : 5_000,
    });
    ends.push([
      outcome,
      result.ok,
      result.text.split("\n")[0],
      result.content?.[0]?.type,
      terminal.calls.length,
    ]);
  }
  expect(ends).toEqual([
    ["ok", true, "from client", "terminal", 2],
    ["fails", false, "(no output)", "terminal", 2],
    ["refuses", true, "here", "text", 1],
    ["waits", false, "from client", "terminal", 2],
  ]);
});

test("commands of class mutate and destroy run here, so that they can be interrupted gently", async () => {
  await using dir = await tempDir();
  const terminal = fakeTerminal("ok");
  await using tools = await toolContext(dir.path, { terminal });
  await tools.run(bashOfClass("mutate"), { command: "true" });
  await tools.run(bashOfClass("destroy"), { command: "true" });
  expect(terminal.calls).toEqual([]);
});

test("colours and redrawn lines are cleaned, characters split over chunks are not", () => {
  const keeper = new OutputKeeper(() => undefined);
  const bytes = Buffer.from("\u001b[31mred\u001b[0m ä😀\r\n10%\r50%\rdone\n");
  for (const byte of bytes) keeper.push("stdout", Uint8Array.of(byte));
  expect(keeper.render()).toBe("red ä😀\ndone\n");
});
