// session/load of a long conversation, replayed as updates, beside a program that reads the same rows and prints them.

import { join } from "node:path";
import { fakeModel } from "../support/fake-model.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type Row, statsOf } from "./row.ts";
import { databaseIn, storeExchanges } from "./support-history.ts";
import { type Program, configOf, eachLine, startProgram, timed } from "./support-program.ts";

const MESSAGES = 10_000;
const WARM_UP = 10;
const ROUNDS = 31;

/** Prints the rows of one session once a line of its stdin, and an empty line behind them. */
const READER = `import { Database } from "bun:sqlite";
const [file, id] = process.argv.slice(-2);
const db = new Database(file, { readonly: true });
const rows = db.query("SELECT event FROM entries WHERE session = (SELECT n FROM sessions WHERE id = ?1) ORDER BY seq");
const sink = Bun.stdout.writer();
for await (const _ of console) {
  for (const { event } of rows.all(id)) sink.write(event + "\\n");
  sink.write("\\n");
  await sink.flush();
}`;

type Reader = AsyncDisposable & { readonly read: () => Promise<void> };

function spawnReader(file: string, id: string): Reader {
  const child = Bun.spawn([process.execPath, "-e", READER, file, id], {
    cwd: join(import.meta.dir, "../.."),
    stdin: "pipe",
    stdout: "pipe",
  });
  let done: (() => void) | undefined;
  const reading = eachLine(child.stdout, (line) => {
    if (line === "") done?.();
  });
  return {
    read: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      done = resolve;
      void child.stdin.write("\n");
      await child.stdin.flush();
      await promise;
    },
    [Symbol.asyncDispose]: async () => {
      await child.stdin.end();
      await Promise.all([child.exited, reading]);
    },
  };
}

/** Milliseconds of a load from the store to its answer; the session leaves memory again behind it. */
async function load(program: Program, sessionId: string, cwd: string): Promise<number> {
  let updates = 0;
  program.onUpdate(() => (updates += 1));
  const ms = await timed(() => program.request("session/load", { sessionId, cwd, mcpServers: [] }));
  if (updates < MESSAGES) throw new Error(`A load of ${MESSAGES} messages showed ${updates}`);
  await program.request("session/close", { sessionId });
  return ms;
}

export async function bench(): Promise<Row[]> {
  await using model = await fakeModel();
  await using project = await tempDir();
  let sessionId = "";
  let file = "";
  await using program = await startProgram({
    config: configOf(model),
    prepare: async (home) => {
      file = databaseIn(home);
      sessionId = await storeExchanges(home, project.path, MESSAGES);
    },
  });
  await using reader = spawnReader(file, sessionId);
  const own: number[] = [];
  const reference: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const ms = await load(program, sessionId, project.path);
    const readerMs = await timed(reader.read);
    if (round < 0) continue;
    own.push(ms);
    reference.push(readerMs);
  }
  return [
    {
      name: `load of ${MESSAGES.toLocaleString("en")} messages, replayed`,
      unit: "ms",
      ...statsOf(own),
      reference: { name: "reading and printing the same rows", ...statsOf(reference) },
      target: { kind: "at_most", ratio: 2 },
    },
  ];
}
