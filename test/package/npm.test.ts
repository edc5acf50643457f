// The npm package: packed, put into an empty folder, started by its launcher under Node, with Bun found or missing.

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { openAgent } from "../support/acp-client.ts";
import { spawnAgent } from "../support/agent-process.ts";
import { localRegistry } from "../support/local-registry.ts";
import { installPacked, manifestOf, pack } from "../support/packed.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

const ROOT = join(import.meta.dir, "../..");
const node = Bun.which("node");
/** What a hostile project brings to be loaded by a careless start. */
const HOSTILE = {
  "bunfig.toml": 'preload = ["./evil.ts"]\n',
  "evil.ts": 'require("node:fs").writeFileSync("owned", "");\n',
  ".env": "IACCODE_BASE_URL=http://127.0.0.1:9/v1\nIACCODE_MODEL=stolen\nIACCODE_API_KEY=x\n",
};

const packed = await tempDir();
const archive = await pack(packed.path);
afterAll(() => packed[Symbol.asyncDispose]());

test("the package holds the program and nothing else, and runs no script when installed", async () => {
  await using installed = await installPacked(archive, { bun: false });
  expect(readdirSync(installed.root).toSorted()).toEqual(
    expect.arrayContaining(["LICENSE", "README.md", "bin", "package.json", "src"]),
  );
  for (const unwanted of ["test", "docs", "dist", "node_modules", ".ci", "packaging"])
    expect(existsSync(join(installed.root, unwanted))).toBe(false);
  const { scripts, bin } = manifestOf(installed.root);
  expect(bin).toEqual({ "iac-code": "bin/iac-code.mjs" });
  for (const hook of ["preinstall", "install", "postinstall", "prepare"])
    expect(scripts).not.toHaveProperty(hook);
});

test("every package that the program imports is one of its dependencies", async () => {
  const { dependencies } = manifestOf(ROOT);
  const missing = new Set<string>();
  for await (const file of new Bun.Glob("src/**/*.ts").scan(ROOT)) {
    const source = (await Bun.file(join(ROOT, file)).text()).replace(/^#!.*/, "");
    for (const { path } of new Bun.Transpiler({ loader: "ts" }).scanImports(source)) {
      if (/^(\.|node:|bun(:|$))/.test(path)) continue;
      const name = path
        .split("/")
        .slice(0, path.startsWith("@") ? 2 : 1)
        .join("/");
      if (!(name in dependencies)) missing.add(`${file}: ${name}`);
    }
  }
  expect([...missing]).toEqual([]);
});

for (const [runtime, program] of [
  ["Node", node],
  ["Bun", process.execPath],
] as const) {
  test.skipIf(program === null)(
    `iac-code acp from the package answers a prompt when ${runtime} starts it, and loads nothing of a hostile folder`,
    async () => {
      await using installed = await installPacked(archive, { bun: true });
      await using project = await tempDir(HOSTILE);
      // Under Bun itself the folder it is started in is Bun's own affair; the program's start is what is judged.
      const command =
        runtime === "Bun"
          ? ["env", "-C", installed.path, program ?? ""]
          : ["env", "-C", project.path, program ?? ""];
      await using agent = await openAgent("stdio", {
        command: [...command, installed.launcher],
        env: { OLLAMA_HOST: "127.0.0.1:9" },
      });
      const sessionId = await agent.newSession(project.path);
      expect((await agent.prompt(sessionId, "hello"))["stopReason"]).toBe("end_turn");
      expect(agent.text(sessionId)).toContain("offline reviewer");
      expect(existsSync(project.file("owned"))).toBe(false);
      agent.assertConformant();
    },
  );
}

test.skipIf(node === null)(
  "a signal to the launcher ends the program, and its exit code is the program's",
  async () => {
    await using installed = await installPacked(archive, { bun: true });
    const command = [node ?? "", installed.launcher];
    await using agent = await spawnAgent("http", { command });
    agent.child.kill("SIGTERM");
    expect(await agent.child.exited).toBe(0);
    expect((await runCli(["nonsense"], { command })).code).toBe(2);
  },
);

test.skipIf(node === null)(
  "without Bun the launcher says how to get it, and runs no bun of the project",
  async () => {
    await using installed = await installPacked(archive, { bun: false });
    await using project = await tempDir();
    const planted = project.file("node_modules/.bin");
    mkdirSync(planted, { recursive: true });
    symlinkSync(realpathSync(process.execPath), join(planted, "bun"));
    symlinkSync(realpathSync(process.execPath), project.file("bun"));
    const result = await runCli(["--version"], {
      command: [node ?? "", installed.launcher],
      cwd: project.path,
      env: { PATH: `${planted}:.::node_modules/.bin` },
    });
    expect([result.code, result.out]).toEqual([1, ""]);
    expect(result.err).toContain("Bun 1.4.5 or later is needed");
    expect(result.err).toContain("npm install --global bun");
  },
);

test.skipIf(node === null)(
  "a Bun on PATH is used when the optional dependency was left out",
  async () => {
    await using installed = await installPacked(archive, { bun: false });
    await using folder = await tempDir();
    symlinkSync(realpathSync(process.execPath), folder.file("bun"));
    const result = await runCli(["--version"], {
      command: [node ?? "", installed.launcher],
      env: { PATH: folder.path },
    });
    expect([result.err, result.code]).toEqual(["", 0]);
  },
);

test("bunx runs the packed archive in an empty folder, with nothing but the dependencies that it names", async () => {
  await using folder = await tempDir();
  await using project = await tempDir(node === null ? {} : HOSTILE);
  mkdirSync(folder.file("tmp"));
  // A machine that has bunx has a bun beside it.
  mkdirSync(folder.file("bin"));
  symlinkSync(process.execPath, folder.file("bin/bun"));
  // Bun itself is left out, as where it cannot be had for a platform: the one that runs bunx is used.
  using registry = localRegistry(ROOT, ["bun"]);
  await using agent = await openAgent("stdio", {
    command: ["env", "-C", project.path, process.execPath, "x", "--package", archive, "iac-code"],
    env: {
      OLLAMA_HOST: "127.0.0.1:9",
      PATH: `${folder.file("bin")}:${process.env["PATH"] ?? ""}`,
      TMPDIR: folder.file("tmp"),
      BUN_CONFIG_REGISTRY: registry.url,
      BUN_INSTALL_CACHE_DIR: folder.file("cache"),
    },
  });
  const sessionId = await agent.newSession(project.path);
  expect((await agent.prompt(sessionId, "hello"))["stopReason"]).toBe("end_turn");
  expect(agent.text(sessionId)).toContain("offline reviewer");
  expect(existsSync(project.file("owned"))).toBe(false);
  expect([...registry.missing]).toEqual(["bun"]);
});
