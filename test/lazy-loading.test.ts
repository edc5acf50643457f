// What `iac-code acp` has loaded when it has answered `initialize`, and `session/new`: every package and folder is named
// here, so that something heavy which comes too early is seen at once, and not some day in a benchmark.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { openAgent } from "./support/acp-client.ts";
import { tempDir } from "./support/temp-dir.ts";

const ROOT = join(import.meta.dir, "..");
const REPORTER = join(import.meta.dir, "support/report-modules.ts");

/** A package, a folder (without those below it) or, of folders that are heavy as a whole, the files that may come. */
const BEFORE_INITIALIZE = [
  "citty",
  "consola",
  "zod",
  "package.json",
  "src/",
  "src/agent/create-catalog.ts",
  "src/cli/acp.ts",
  "src/cli/all.ts",
  "src/cli/command.ts",
  "src/config/",
  "src/dispatch/early-host.ts",
  "src/iac/nearest.ts",
  "src/lib/",
  "src/methods/",
  "src/permissions/modes.ts",
  "src/protocol/",
  "src/sessions/session-state.ts",
  "src/transports/",
] as const;

const BEFORE_SESSION = [
  ...BEFORE_INITIALIZE,
  "@agentclientprotocol/sdk",
  // What a session's budget is counted with.
  "src/agent/compact.ts",
  "src/agent/estimate.ts",
  "src/agent/find-cut.ts",
  "src/agent/summary.ts",
  "src/agent/usage.ts",
  "src/commands/",
  "src/conversation/",
  "src/dispatch/",
  "src/permissions/rules.ts",
  "src/permissions/secret-paths.ts",
  "src/secrets/",
  "src/sessions/",
  "src/stores/",
  // What a session keeps for its tools, not the tools.
  "src/tools/checkpoints.ts",
  "src/tools/disk-file.ts",
  "src/tools/file-stamp.ts",
  "src/tools/sandbox.ts",
  "src/tools/tool-session.ts",
  "src/tools/tool.ts",
] as const;

/** `node_modules/zod/v4/core/api.js` → `zod`; a file of ours → its path from the root. */
function nameOf(path: string): string {
  const own = relative(ROOT, path);
  const [, inPackages] = own.split(/^node_modules\//);
  if (inPackages === undefined) return own;
  const [first = "", second = ""] = inPackages.split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}

const isNamed = (name: string, allowed: readonly string[]): boolean =>
  allowed.includes(name) || allowed.includes(name.slice(0, name.lastIndexOf("/") + 1));

/** What is loaded without being named, and what is named without being loaded, each with what to do. */
function faults(loaded: readonly string[], allowed: readonly string[], answer: string): string[] {
  const names = [...new Set(loaded.map(nameOf))].toSorted();
  const early = names.filter((name) => !isNamed(name, allowed));
  const gone = allowed.filter((one) => !names.some((name) => isNamed(name, [one])));
  return [
    ...early.map(
      (name) =>
        `${name} is loaded before ${answer} is answered, which every start waits for: load it by import() where it is first needed; if it must come so early, name it in test/lazy-loading.test.ts`,
    ),
    ...gone.map(
      (name) =>
        `${name} is no longer loaded before ${answer} is answered: take it out of test/lazy-loading.test.ts`,
    ),
  ];
}

test("acp loads nothing before initialize and session/new are answered but what is named here", async () => {
  await using dir = await tempDir();
  const file = dir.file("modules");
  await using client = await openAgent("stdio", {
    command: [process.execPath, "--preload", REPORTER, join(ROOT, "src/main.ts")],
    env: {
      MODULES_FILE: file,
      IACCODE_BASE_URL: "http://127.0.0.1:9/v1",
      IACCODE_API_KEY: "key-of-nobody-0123",
      IACCODE_MODEL: "some-model",
    },
  });
  // Written before the answer with that id left the program.
  const loadedBefore = (id: number): readonly string[] =>
    (JSON.parse(readFileSync(`${file}.${id}`, "utf8")) as readonly string[]).filter(
      (path) => path !== REPORTER,
    );
  await client.request("initialize", { protocolVersion: 1 }, 1);
  expect(faults(loadedBefore(1), BEFORE_INITIALIZE, "initialize")).toEqual([]);
  await client.request("session/new", { cwd: dir.path, mcpServers: [] }, 2);
  expect(faults(loadedBefore(2), BEFORE_SESSION, "session/new")).toEqual([]);
});

test("a package or a room that is heavy is a fault, and told by its name", () => {
  const paths = [
    "node_modules/openai/index.mjs",
    "node_modules/turndown/lib/turndown.es.js",
    "node_modules/yaml/dist/index.js",
    "node_modules/web-tree-sitter/web-tree-sitter.js",
    "node_modules/@modelcontextprotocol/sdk/dist/esm/client/index.js",
    "src/iac/validate.ts",
    "src/iac/rules/all.ts",
    "src/shell/tables/all.ts",
    "src/tools/all.ts",
  ];
  const told = faults(
    paths.map((path) => join(ROOT, path)),
    BEFORE_SESSION,
    "session/new",
  );
  expect(told.filter((text) => text.includes("by import()"))).toHaveLength(paths.length);
});
