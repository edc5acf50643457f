// The round trip of one small request through a running program, against an agent that is nothing but the SDK's app.

import { join } from "node:path";
import { SOURCES } from "../support/program.ts";
import { type Row, statsOf } from "./row.ts";

const ROOT = join(import.meta.dir, "../..");
const WARM_UP = 200;
const ROUNDS = 2_000;

const BARE_SDK = `import { agent, ndJsonStream } from "@agentclientprotocol/sdk/unstable";
const sink = new WritableStream({ write: async (bytes) => { await Bun.write(Bun.stdout, bytes); } });
agent({ name: "bare" })
  .onRequest("initialize", () => ({ protocolVersion: 1, agentCapabilities: {} }))
  .connect(ndJsonStream(sink, Bun.stdin.stream()));`;

type Talker = AsyncDisposable & {
  /** Sends one `initialize`; resolves with the milliseconds until its answer was read. */
  readonly ask: () => Promise<number>;
};

function talkTo(command: readonly string[]): Talker {
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  const reader = child.stdout.getReader();
  const newline = "\n".charCodeAt(0);
  let id = 0;
  return {
    ask: async () => {
      id += 1;
      const started = performance.now();
      const params = { protocolVersion: 1, clientCapabilities: {} };
      void child.stdin.write(
        `${JSON.stringify({ jsonrpc: "2.0", id, method: "initialize", params })}\n`,
      );
      await child.stdin.flush();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`${command.join(" ")} ended early`);
        if (value.at(-1) === newline) return performance.now() - started;
      }
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await child.exited;
    },
  };
}

/** In turns, request by request, so that what else the machine does meets both. */
export async function measureRoundTrip(): Promise<Row> {
  await using ours = talkTo([...SOURCES, "acp"]);
  await using bare = talkTo([process.execPath, "-e", BARE_SDK]);
  const times: number[] = [];
  const bareTimes: number[] = [];
  for (let n = 0; n < WARM_UP + ROUNDS; n += 1) {
    const [own, other] = [await ours.ask(), await bare.ask()];
    if (n < WARM_UP) continue;
    times.push(own);
    bareTimes.push(other);
  }
  return {
    name: "initialize, round trip on stdio",
    unit: "ms",
    ...statsOf(times),
    reference: { name: "bare SDK agent", median: statsOf(bareTimes).median },
    target: { kind: "at_most", ratio: 1.2 },
  };
}

if (import.meta.main) console.log(await measureRoundTrip());
