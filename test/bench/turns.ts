// What a turn costs beside the model: one delta, five thousand deltas, long histories, a long load, many sessions at once.
// The program is the built binary where there is one, else the sources.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type AcpClient, openAgent } from "../support/acp-client.ts";
import { type FakeModel, fakeModel, text } from "../support/fake-model.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type Row, statsOf } from "./row.ts";

const BINARY = join(import.meta.dir, "../../dist/iac-code");
const command = existsSync(BINARY) ? { command: [BINARY] } : {};
const DELTAS = 5_000;
const SESSIONS = 100;
const THINKING_MS = 1_000;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function repeat(rounds: number, work: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round += 1) values.push(await work());
  return values;
}

/** The same request by plain fetch, read to its end. */
async function plainFetch(model: FakeModel): Promise<void> {
  const body = JSON.stringify({
    model: "fake-model",
    stream: true,
    messages: [{ role: "user", content: "Hi" }],
  });
  const response = await fetch(`${model.url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${model.apiKey}` },
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

async function oneDelta(): Promise<Row> {
  await using model = await fakeModel([], { fallback: text("Yes.", { deltas: 1 }) });
  await using project = await tempDir({ "main.tf": "" });
  await using client = await openAgent("stdio", { ...command, env: model.env() });
  const sessionId = await client.newSession(project.path);
  await client.prompt(sessionId, "warm");
  await plainFetch(model);
  const own: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < 40; round += 1) {
    own.push(await timed(() => client.prompt(sessionId, "Hi")));
    plain.push(await timed(() => plainFetch(model)));
  }
  const added = own.map((ms, index) => ms - (plain[index] ?? 0));
  return { name: "one-delta turn, added by us", unit: "ms", ...statsOf(added), bound: 3 };
}

async function manyDeltas(): Promise<Row[]> {
  const words = Array.from({ length: DELTAS }, (_, n) => `w${n} `);
  await using model = await fakeModel([], { fallback: text(words.join(""), { deltas: words }) });
  await using project = await tempDir({ "main.tf": "" });
  await using client = await openAgent("stdio", { ...command, env: model.env() });
  const sessionId = await client.newSession(project.path);
  await client.prompt(sessionId, "warm");
  await readByPackage(model);
  const own: number[] = [];
  const reference: number[] = [];
  const rates: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const before = client.updates(sessionId).length;
    const ms = await timed(() => client.prompt(sessionId, "Go"));
    own.push(ms);
    rates.push((client.updates(sessionId).length - before) / Math.max(ms / 1000, 0.1));
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
    { name: `${DELTAS}-delta turn, updates a second`, unit: "", ...statsOf(rates), bound: 70 },
  ];
}

/** A session with `messages` stored messages, made by turns of the offline command that cost no model. */
async function withHistory(client: AcpClient, cwd: string, turns: number): Promise<string> {
  const { sessionId } = await client.request("session/new", { cwd, mcpServers: [] });
  for (let n = 0; n < turns; n += 1) await client.prompt(String(sessionId), `Question ${n}`);
  return String(sessionId);
}

async function histories(): Promise<Row[]> {
  await using model = await fakeModel([], {
    fallback: text("An answer of some words.", { deltas: 1, usage: { input: 100, output: 5 } }),
    strict: false,
  });
  await using project = await tempDir({ "main.tf": "" });
  await using client = await openAgent("stdio", { ...command, env: model.env() });
  await client.initialize();
  const measured: { readonly turns: number; readonly values: number[] }[] = [];
  for (const turns of [5, 500]) {
    const sessionId = await withHistory(client, project.path, turns);
    measured.push({
      turns,
      values: await repeat(15, () => timed(() => client.prompt(sessionId, "Again"))),
    });
  }
  const [small, large] = measured;
  const first = statsOf(small?.values ?? []);
  return [
    { name: "turn at 10 messages", unit: "ms", ...first },
    {
      name: "turn at 1,000 messages",
      unit: "ms",
      ...statsOf(large?.values ?? []),
      reference: { name: "at 10", median: first.median },
      target: { kind: "at_most", ratio: 1.5 },
    },
  ];
}

/** A model that thinks for a while, as real ones do: what counts is how many turns fit beside one another. */
async function manySessions(): Promise<Row[]> {
  const words = Array.from({ length: 40 }, (_, n) => `w${n} `);
  const fallback = async () => {
    await Bun.sleep(THINKING_MS);
    return text(words.join(""), { deltas: words });
  };
  await using model = await fakeModel([], { fallback });
  await using project = await tempDir({ "main.tf": "" });
  await using client = await openAgent("stdio", { ...command, env: model.env() });
  await client.initialize();
  const open = async () =>
    String(
      (await client.request("session/new", { cwd: project.path, mcpServers: [] }))["sessionId"],
    );
  const ids = await Promise.all(Array.from({ length: SESSIONS }, open));
  const [first = ""] = ids;
  await client.prompt(first, "warm");
  const one = statsOf(await repeat(3, () => timed(() => client.prompt(first, "Go")))).median;
  await Promise.all(ids.map((id) => client.prompt(id, "warm")));
  const all = await repeat(3, () =>
    timed(() => Promise.all(ids.map((id) => client.prompt(id, "Go")))),
  );
  const throughputs = all.map((ms) => (SESSIONS * one) / ms);
  return [
    {
      name: `${SESSIONS} turns side by side, turns a second`,
      unit: "1/s",
      ...statsOf(all.map((ms) => (SESSIONS * 1000) / ms)),
      reference: { name: "one turn after the other", median: 1000 / one },
      target: { kind: "at_least", ratio: 50 },
    },
    { name: "the same as a multiple", unit: "×", ...statsOf(throughputs) },
  ];
}

export async function bench(): Promise<Row[]> {
  return [
    await oneDelta(),
    ...(await manyDeltas()),
    ...(await histories()),
    ...(await manySessions()),
  ];
}
