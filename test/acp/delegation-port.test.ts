// The client's files and terminals with clients that lie, stall, refuse and answer late, without a wire in between.

import { expect, test } from "bun:test";
import type { ClientPort } from "../../src/dispatch/client-port.ts";
import { newSessionId, toConnectionId } from "../../src/lib/ids.ts";
import { NO_ABILITIES } from "../../src/protocol/capabilities.ts";
import { createClientFiles, createClientTerminal } from "../../src/sessions/client-tools.ts";
import { bash } from "../../src/tools/bash.ts";
import { readFile } from "../../src/tools/read-file.ts";
import { writeFile } from "../../src/tools/write-file.ts";
import { tempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";

type Answers = Readonly<Record<string, (params: object) => unknown>>;
const SILENT = () => new Promise(() => {});
const REFUSE = () => Promise.reject(new Error("Resource not found"));
const sessionId = newSessionId();

/** A client that does what `answers` says; a method that is not there is never answered. */
function portOf(answers: Answers): ClientPort & { readonly sent: string[] } {
  const sent: string[] = [];
  return {
    sent,
    connectionId: toConnectionId("connection"),
    abilities: () => ({
      ...NO_ABILITIES,
      readTextFile: true,
      writeTextFile: true,
      terminal: true,
    }),
    closed: new AbortController().signal,
    update: async () => undefined,
    replay: async () => undefined,
    request: (method, params, signal) => {
      sent.push(method);
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
      });
      return Promise.race([Promise.resolve((answers[method] ?? SILENT)(params)), aborted]);
    },
  };
}

const filesOf = (answers: Answers, answerMs = 50) =>
  createClientFiles(portOf(answers), sessionId, answerMs);

test("a client that refuses, stalls, or answers nonsense to a read is replaced by the disk", async () => {
  await using dir = await tempDir({ "main.tf": "disk\n" });
  const seen: string[] = [];
  for (const answer of [
    REFUSE,
    SILENT,
    () => null,
    () => undefined,
    () => ({ content: null }),
    () => ({ content: 5 }),
    () => ({ text: "x" }),
    () => "text",
    () => ({ content: "buffer\n" }),
  ]) {
    const files = filesOf({ "fs/read_text_file": answer });
    await using tools = await toolContext(dir.path, files === undefined ? {} : { files });
    seen.push((await tools.run(readFile, { path: "main.tf" })).text);
  }
  expect(seen).toEqual([...Array.from({ length: 8 }, () => "1\tdisk"), "1\tbuffer"]);
});

test("a client that refuses or stalls at a write is replaced by the disk; null is an old client's yes", async () => {
  await using dir = await tempDir();
  const ends: unknown[] = [];
  for (const [name, answer] of [
    ["refused", REFUSE],
    ["stalled", SILENT],
    ["null", () => null],
    ["empty", () => ({})],
  ] as const) {
    const files = filesOf({ "fs/write_text_file": answer, "fs/read_text_file": REFUSE });
    await using tools = await toolContext(dir.path, files === undefined ? {} : { files });
    const { ok } = await tools.run(writeFile, { path: `${name}.tf`, content: "x\n" });
    ends.push([name, ok, await Bun.file(dir.file(`${name}.tf`)).exists()]);
  }
  expect(ends).toEqual([
    ["refused", true, true],
    ["stalled", true, true],
    ["null", true, false],
    ["empty", true, false],
  ]);
});

test("a client that keeps serving a stale buffer makes the next write refuse, not overwrite", async () => {
  await using dir = await tempDir({ "main.tf": "old\n" });
  const files = filesOf({
    "fs/read_text_file": () => ({ content: "old\n" }),
    "fs/write_text_file": () => ({}),
  });
  await using tools = await toolContext(dir.path, files === undefined ? {} : { files });
  await tools.run(readFile, { path: "main.tf" });
  expect((await tools.run(writeFile, { path: "main.tf", content: "new\n" })).ok).toBe(true);
  const second = await tools.run(writeFile, { path: "main.tf", content: "newer\n" });
  expect(second.ok).toBe(false);
  expect(second.text).toContain("was changed by somebody else");
  expect(second.text).toContain("1\told");
});

const CREATED = { "terminal/create": () => ({ terminalId: "t1" }) };
const ENDED = {
  "terminal/wait_for_exit": () => ({ exitCode: 0 }),
  "terminal/output": () => ({ output: "hello\n", truncated: false }),
  "terminal/release": () => ({}),
  "terminal/kill": () => ({}),
};

async function runThrough(answers: Answers, abortAfter?: string) {
  await using dir = await tempDir();
  const port = portOf(answers);
  const terminal = createClientTerminal(port, sessionId, 50);
  await using tools = await toolContext(dir.path, terminal === undefined ? {} : { terminal });
  const running = tools.run(bash, { command: "echo here", timeout_ms: 5_000 });
  const deadline = Date.now() + 5_000;
  while (abortAfter !== undefined && !port.sent.includes(abortAfter) && Date.now() < deadline)
    await Bun.sleep(5);
  const started = performance.now();
  if (abortAfter !== undefined) tools.abort();
  const result = await running;
  return { result, port, ms: performance.now() - started };
}

test("a terminal is given back after success, a failed wait, a failed output and nonsense", async () => {
  const rows: unknown[] = [];
  for (const [name, changed] of [
    ["ok", {}],
    ["wait fails", { "terminal/wait_for_exit": REFUSE }],
    ["output fails", { "terminal/output": REFUSE }],
    ["output stalls", { "terminal/output": SILENT }],
    ["release fails", { "terminal/release": REFUSE }],
    ["release stalls", { "terminal/release": SILENT }],
    ["lies", { "terminal/wait_for_exit": () => ({ exitCode: "0" }), "terminal/output": () => 5 }],
  ] as const) {
    const { result, port } = await runThrough({ ...CREATED, ...ENDED, ...changed });
    rows.push([name, result.ok, result.text.split("\n")[0], port.sent.slice(1).join(" ")]);
  }
  const plain = "terminal/wait_for_exit terminal/output terminal/release";
  expect(rows).toEqual([
    ["ok", true, "hello", plain],
    [
      "wait fails",
      false,
      "hello",
      "terminal/wait_for_exit terminal/kill terminal/output terminal/release",
    ],
    ["output fails", true, "(no output)", plain],
    ["output stalls", true, "(no output)", plain],
    ["release fails", true, "hello", plain],
    ["release stalls", true, "hello", plain],
    ["lies", false, "(no output)", plain],
  ]);
});

test("a client that stalls at everything does not hold up a cancel, and is told to kill and release", async () => {
  const { result, port, ms } = await runThrough(CREATED, "terminal/wait_for_exit");
  expect(result.ok).toBe(false);
  expect(ms).toBeLessThan(1_500);
  expect(port.sent.slice(-3)).toEqual(["terminal/kill", "terminal/output", "terminal/release"]);
});

test("a client that refuses or stalls at the start is replaced by a command here, and a late terminal is given back", async () => {
  for (const refusal of [REFUSE, () => null, () => ({ terminalId: 7 })]) {
    const { result, port } = await runThrough({ ...ENDED, "terminal/create": refusal });
    expect([result.text, port.sent]).toEqual(["here", ["terminal/create"]]);
  }
  const late = Promise.withResolvers<object>();
  const { result, port } = await runThrough({ ...ENDED, "terminal/create": () => late.promise });
  expect([result.text, port.sent]).toEqual(["here", ["terminal/create"]]);
  late.resolve({ terminalId: "late" });
  const deadline = Date.now() + 5_000;
  while (!port.sent.includes("terminal/release") && Date.now() < deadline) await Bun.sleep(5);
  expect(port.sent).toEqual(["terminal/create", "terminal/kill", "terminal/release"]);
});

test("endless output of a lying terminal is bounded", async () => {
  const { result } = await runThrough({
    ...CREATED,
    ...ENDED,
    "terminal/output": () => ({ output: "x\n".repeat(5_000_000), truncated: false }),
  });
  expect(result.text.length).toBeLessThan(40_000);
});
