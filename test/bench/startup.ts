// From spawn to the first answers, memory and size, of the binary beside bare ones compiled with the same flags.

import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildArgs } from "../../build.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { recordOf, userMessage } from "../stores/samples.ts";
import { type Row, statsOf } from "./row.ts";
import { databaseIn } from "./support-history.ts";

const ROOT = join(import.meta.dir, "../..");
const ROUNDS = 25;
/** They take a few milliseconds, so that more of them are needed for a median that stays. */
const VERSIONS_A_ROUND = 4;
const MANY_SESSIONS = 10_000;

const HELLO = 'console.log("0.0.0");\n';
/** Answers initialize by hand: what a line protocol on Bun costs at least. */
const BARE = `const decoder = new TextDecoder();
let rest = "";
for await (const chunk of Bun.stdin.stream()) {
  const lines = (rest + decoder.decode(chunk, { stream: true })).split("\\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const { id } = JSON.parse(line);
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: { protocolVersion: 1, agentCapabilities: {}, sessionId: "s" } }) + "\\n");
  }
}
`;
/** The same over the SDK's app, nothing else. */
const BARE_SDK = `import { agent, ndJsonStream } from "@agentclientprotocol/sdk/unstable";
const sink = new WritableStream({ write: async (bytes) => { await Bun.write(Bun.stdout, bytes); } });
agent({ name: "bare" })
  .onRequest("initialize", () => ({ protocolVersion: 1, agentCapabilities: {} }))
  .onRequest("session/new", () => ({ sessionId: "s" }))
  .connect(ndJsonStream(sink, Bun.stdin.stream()));
`;

function compile(folder: string, name: string, source: string | undefined): string {
  const output = join(folder, name);
  const entry = source === undefined ? "src/main.ts" : join(ROOT, "test/bench", `.${name}.ts`);
  if (source !== undefined) writeFileSync(entry, source);
  const args = buildArgs(output).map((arg) => (arg === "src/main.ts" ? entry : arg));
  const built = Bun.spawnSync([process.execPath, ...args], {
    cwd: ROOT,
    stdout: "ignore",
    stderr: "pipe",
  });
  if (source !== undefined) rmSync(entry);
  if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  return output;
}

const line = (id: number, method: string, params: object): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

type Timed = { readonly initializeMs: number; readonly sessionMs: number; readonly rssKb: number };

/** A home as months of work leave it. */
async function fillHome(home: string): Promise<void> {
  const path = databaseIn(home);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await using store = await openSqliteStore(path, { now: Date.now });
  const records = Array.from({ length: MANY_SESSIONS }, (_, n) => recordOf({ updatedAt: n }));
  await Promise.all(
    records.map(async (record) => {
      await store.createSession(record);
      await store.append(record.id, [{ event: userMessage("Review the network module") }]);
    }),
  );
}

/** Times the answers from the moment of spawn; memory after session/new, when nothing is loading any more. */
async function timeAgent(command: readonly string[], home: string): Promise<Timed> {
  const started = performance.now();
  const child = Bun.spawn([...command], {
    env: { PATH: process.env["PATH"] ?? "", HOME: home, OPENAI_API_KEY: "none" },
    cwd: home,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  const until = async (mark: string): Promise<number> => {
    while (!seen.includes(mark)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`${command[0]} ended early`);
      seen += value;
    }
    return performance.now() - started;
  };
  await child.stdin.write(line(1, "initialize", { protocolVersion: 1 }));
  await child.stdin.flush();
  const initializeMs = await until('"id":1');
  await child.stdin.write(line(2, "session/new", { cwd: home, mcpServers: [] }));
  await child.stdin.flush();
  const sessionMs = await until('"id":2');
  const status = await Bun.file(`/proc/${child.pid}/status`)
    .text()
    .catch(() => "");
  const rssKb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN);
  await child.stdin.end();
  await child.exited;
  return { initializeMs, sessionMs, rssKb };
}

async function timeVersion(binary: string): Promise<number> {
  const started = performance.now();
  await Bun.spawn([binary, "--version"], { stdout: "ignore", stderr: "ignore" }).exited;
  return performance.now() - started;
}

function row(
  name: string,
  unit: string,
  own: readonly number[],
  referenceName: string,
  reference: readonly number[],
  ratio: number,
): Row {
  return {
    name,
    unit,
    ...statsOf(own),
    reference: { name: referenceName, median: statsOf(reference).median },
    target: { kind: "at_most", ratio },
  };
}

export async function bench(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "iac-code-bench-"));
  try {
    const own = compile(folder, "iac-code", undefined);
    const hello = compile(folder, "hello", HELLO);
    const bare = compile(folder, "bare", BARE);
    const sdk = compile(folder, "bare-sdk", BARE_SDK);
    const version: number[] = [];
    const helloVersion: number[] = [];
    const full = join(folder, "home");
    await fillHome(full);
    const runs: Record<"own" | "ownFull" | "bare" | "sdk", Timed[]> = {
      own: [],
      ownFull: [],
      bare: [],
      sdk: [],
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let n = 0; n < VERSIONS_A_ROUND; n += 1) {
        version.push(await timeVersion(own));
        helloVersion.push(await timeVersion(hello));
      }
      const empty = mkdtempSync(join(folder, "empty-"));
      runs.own.push(await timeAgent([own, "acp"], empty));
      runs.ownFull.push(await timeAgent([own, "acp"], full));
      runs.bare.push(await timeAgent([bare], empty));
      runs.sdk.push(await timeAgent([sdk], empty));
    }
    const pick = (who: keyof typeof runs, what: keyof Timed) => runs[who].map((run) => run[what]);
    const megabytes = (path: string) => statSync(path).size / 1_000_000;
    return [
      row("--version", "ms", version, "hello world", helloVersion, 1.15),
      row(
        "spawn → initialize",
        "ms",
        pick("own", "initializeMs"),
        "bare agent",
        pick("bare", "initializeMs"),
        2,
      ),
      row(
        "spawn → session/new, empty home",
        "ms",
        pick("own", "sessionMs"),
        "bare SDK agent",
        pick("sdk", "sessionMs"),
        1.4,
      ),
      row(
        "spawn → session/new, 10,000 sessions",
        "ms",
        pick("ownFull", "sessionMs"),
        "bare SDK agent",
        pick("sdk", "sessionMs"),
        1.4,
      ),
      row(
        "session/new with 10,000 sessions",
        "ms",
        pick("ownFull", "sessionMs"),
        "empty home",
        pick("own", "sessionMs"),
        1.1,
      ),
      row(
        "memory after session/new",
        "kB",
        pick("own", "rssKb"),
        "bare SDK agent",
        pick("sdk", "rssKb"),
        1.25,
      ),
      row("binary size", "MB", [megabytes(own)], "bare Bun binary", [megabytes(hello)], 1.08),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
