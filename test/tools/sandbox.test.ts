// The cage for commands: what is in it, what it stops, and what happens where there is none.

import { tmpdir } from "node:os";
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import type { CommandClass } from "../../src/conversation/access.ts";
import { createBash } from "../../src/tools/bash.ts";
import { probeSandbox, sandboxArgv, type SandboxMode } from "../../src/tools/sandbox.ts";
import type { ToolContext } from "../../src/tools/tool.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type TestToolContext, toolContext } from "../support/tool-context.ts";

const HAS_SANDBOX = (await probeSandbox()).ok;
const bashOf = (of: CommandClass) =>
  createBash(async () => ({
    class: of,
    commands: [{ argv: ["x"], class: of, scope: [], reads: [], writes: [] }],
    warnings: [],
  }));

const withMode = (cwd: string, sandbox: SandboxMode, more: Partial<ToolContext> = {}) =>
  toolContext(cwd, { settings: { fetchAllowPrivate: [], sandbox }, ...more });
const run = async (tools: TestToolContext, of: CommandClass, command: string) =>
  (await tools.run(bashOf(of), { command })).text;

test("sandboxArgv binds the system read-only, then what may be written, and cuts the network off", () => {
  const cage = { cwd: "/app", writable: ["/app", "/app"], hasNetwork: false };
  const argv = sandboxArgv("/usr/bin/bwrap", cage);
  expect(argv.slice(0, 6)).toEqual(["/usr/bin/bwrap", "--ro-bind", "/", "/", "--dev", "/dev"]);
  expect(argv.join(" ").split("--bind-try /app /app")).toHaveLength(2);
  expect(argv.slice(-4)).toEqual(["--unshare-net", "--chdir", "/app", "--"]);
  expect(sandboxArgv("bwrap", { ...cage, hasNetwork: true })).not.toContain("--unshare-net");
});

test("without bubblewrap auto runs commands as they are, and require runs none and says why", async () => {
  await using dir = await tempDir();
  const none = async () => ({ ok: false, reason: "bubblewrap (bwrap) is not installed" }) as const;
  for (const [mode, expected] of [
    ["auto", "here"],
    ["require", "The command was not run: the user's settings demand a sandbox"],
  ] as const) {
    await using tools = await withMode(dir.path, mode);
    const context = { ...tools.context, session: { ...tools.session, sandbox: none } };
    const call = await tools.prepare(bashOf("read"), { command: "echo here" });
    expect((await call.execute(context)).text).toStartWith(expected);
  }
});

/** A folder of the system's: not the temporary one, which the cage leaves writable, wherever HOME may be. */
const HOME = process.env["HOME"] ?? "/root";
const SYSTEM_FOLDER = HOME.startsWith(tmpdir()) ? "/etc" : HOME;

test.skipIf(!HAS_SANDBOX)(
  "in auto what only reads runs caged, and everything else as it is (needs bubblewrap)",
  async () => {
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response("reached"),
    });
    await using outside = await tempDir();
    await using dir = await tempDir({ "main.tf": "x\n" });
    await using tools = await withMode(dir.path, "auto");
    const away = `${SYSTEM_FOLDER}/.iac-code-sandbox-probe-${process.pid}`;
    const reach = `exec 3<>/dev/tcp/127.0.0.1/${server.port} && echo connected`;
    expect(await run(tools, "read", "cat main.tf; pwd; cat /etc/hostname > /dev/null")).toBe(
      `x\n${dir.path}`,
    );
    expect(await run(tools, "read", `touch in ${outside.path}/tmp && echo ok`)).toBe("ok");
    const refused = await run(tools, "read", `touch ${away}`);
    expect(refused).toContain("Read-only file system");
    expect(refused).toContain("[It ran in a sandbox: without network, ");
    expect(existsSync(away)).toBe(false);
    expect(await run(tools, "read", reach)).not.toContain("connected");
    for (const of of ["plan", "write", "mutate", "unknown"] as const)
      expect(await run(tools, of, reach)).toBe("connected");
  },
);

test.skipIf(!HAS_SANDBOX)(
  "required, every command is caged, with network unless it only reads; off, none is (needs bubblewrap)",
  async () => {
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response("reached"),
    });
    await using dir = await tempDir();
    await using tools = await withMode(dir.path, "require");
    const reach = `exec 3<>/dev/tcp/127.0.0.1/${server.port} && echo connected`;
    const probe = `${SYSTEM_FOLDER}/.iac-code-sandbox-probe-${process.pid}`;
    for (const of of ["write", "plan", "mutate", "unknown"] as const) {
      expect(await run(tools, of, reach)).toBe("connected");
      expect(await run(tools, of, `touch ${probe}`)).toContain("Read-only file system");
    }
    await using off = await withMode(dir.path, "off");
    expect(await run(off, "read", reach)).toBe("connected");
  },
);

test.skipIf(!HAS_SANDBOX)(
  "a caged command has its exit code, its time limit, its cancel, and what it leaves behind ends (needs bubblewrap)",
  async () => {
    await using dir = await tempDir();
    const tools = await withMode(dir.path, "auto");
    expect(await run(tools, "read", "exit 3")).toStartWith("(no output)\n[Exit code 3.]");
    const slow = await tools.run(bashOf("read"), { command: "sleep 300", timeout_ms: 200 });
    expect(slow.rawOutput).toEqual({ end: "timed_out" });
    const left = await run(tools, "read", "sleep 300 & echo done");
    const pid = Number(/pid (\d+)/.exec(left)?.[1]);
    expect(pid).toBeGreaterThan(0);
    await tools[Symbol.asyncDispose]();
    const deadline = Date.now() + 5_000;
    while (existsSync(`/proc/${pid}`) && Date.now() < deadline) await Bun.sleep(20);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  },
);
