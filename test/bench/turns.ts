// What a turn costs beside the model: one delta, five thousand deltas, and behind histories of 10 to 10,000 messages. The
// model's own part is the same request, byte for byte, sent to the same server by plain fetch.

import { type FakeModel, fakeModel, text } from "../support/fake-model.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type Row, statsOf } from "./row.ts";
import { storeExchanges } from "./support-history.ts";
import { type Program, configOf, startProgram, timed } from "./support-program.ts";

const DELTAS = 5_000;
const WARM_UP = 20;
const ROUNDS = 100;
const HISTORIES = [10, 1_000, 10_000] as const;
const HISTORY_ROUNDS = 40;

/** A chat completion by plain fetch, read to its end. */
async function plainFetch({ url, apiKey }: FakeModel, body: string): Promise<void> {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
    body,
  });
  await response.text();
}

/** The same stream through the openai package, every chunk looked at. */
async function readByPackage(model: FakeModel): Promise<void> {
  const { default: OpenAI } = await import("openai");
  const client = new OpenAI({ baseURL: model.url, apiKey: model.apiKey, maxRetries: 0 });
  const stream = await client.chat.completions.create({
    model: "fake-model",
    stream: true,
    messages: [{ role: "user", content: "Hi" }],
  });
  for await (const chunk of stream)
    if (chunk.choices[0]?.delta.content === "never") throw new Error("unreachable");
}

/** Milliseconds of a turn beyond what its request costs by plain fetch, right behind it. */
async function ownWork(program: Program, sessionId: string, model: FakeModel): Promise<number> {
  const turn = await timed(() => program.prompt(sessionId, "Hi"));
  const sent = model.requests.at(-1)?.raw ?? "";
  return turn - (await timed(() => plainFetch(model, sent)));
}

async function oneDelta(): Promise<Row> {
  await using model = await fakeModel([], { fallback: text("Yes.", { deltas: 1 }) });
  await using project = await tempDir({ "main.tf": "" });
  await using program = await startProgram({ config: configOf(model) });
  const sessionId = await program.newSession(project.path);
  const added: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const ms = await ownWork(program, sessionId, model);
    if (round >= 0) added.push(ms);
  }
  return { name: "one-delta turn, added by us", unit: "ms", ...statsOf(added), bound: 3 };
}

async function manyDeltas(): Promise<Row[]> {
  const words = Array.from({ length: DELTAS }, (_, n) => `w${n} `);
  await using model = await fakeModel([], { fallback: text(words.join(""), { deltas: words }) });
  await using project = await tempDir({ "main.tf": "" });
  await using program = await startProgram({ config: configOf(model) });
  const sessionId = await program.newSession(project.path);
  await program.prompt(sessionId, "warm");
  await readByPackage(model);
  const own: number[] = [];
  const reference: number[] = [];
  const rates: number[] = [];
  let updates = 0;
  program.onUpdate(() => (updates += 1));
  for (let round = 0; round < 7; round += 1) {
    updates = 0;
    const ms = await timed(() => program.prompt(sessionId, "Go"));
    own.push(ms);
    rates.push(updates / Math.max(ms / 1000, 0.1));
    reference.push(await timed(() => readByPackage(model)));
  }
  return [
    {
      name: `${DELTAS}-delta turn`,
      unit: "ms",
      ...statsOf(own),
      reference: { name: "openai package", median: statsOf(reference).median },
      target: { kind: "at_most", ratio: 1.5 },
    },
    { name: `${DELTAS}-delta turn, updates a second`, unit: "", ...statsOf(rates), bound: 60 },
  ];
}

/** One session of each length, in turns, so that what else the machine does meets all of them. */
async function histories(): Promise<Row[]> {
  const fallback = text("An answer of some words.", { deltas: 1 });
  await using model = await fakeModel([], { fallback, strict: false });
  await using project = await tempDir({ "main.tf": "" });
  const sessions: { readonly id: string; readonly own: number[] }[] = [];
  await using program = await startProgram({
    config: configOf(model),
    prepare: async (home) => {
      for (const messages of HISTORIES)
        sessions.push({ id: await storeExchanges(home, project.path, messages), own: [] });
    },
  });
  for (const { id: sessionId } of sessions)
    await program.request("session/resume", { sessionId, cwd: project.path, mcpServers: [] });
  for (let round = -WARM_UP; round < HISTORY_ROUNDS; round += 1) {
    for (const { id, own } of sessions) {
      const ms = await ownWork(program, id, model);
      if (round >= 0) own.push(ms);
    }
  }
  const stats = sessions.map(({ own }) => statsOf(own));
  const reference = { name: `at ${HISTORIES[0]}`, median: stats[0]?.median ?? Number.NaN };
  return stats.map((times, index) => ({
    name: `own work of a turn at ${HISTORIES[index]?.toLocaleString("en")} messages`,
    unit: "ms",
    ...times,
    ...(index === 0 ? {} : { reference, target: { kind: "at_most", ratio: 1.5 } as const }),
  }));
}

export async function bench(): Promise<Row[]> {
  return [await oneDelta(), ...(await manyDeltas()), ...(await histories())];
}
