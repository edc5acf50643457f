// Many sessions in one process: a hundred turns at once and how old an update is when it arrives, what an idle session
// keeps in memory, and whether a thousand sessions that come and go leave anything behind.

import { fakeModel, text } from "../support/fake-model.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type Row, statsOf } from "./row.ts";
import { type Program, configOf, residentBytes, startProgram, timed } from "./support-program.ts";
import { agesOf, tickingModel } from "./support-ticking-model.ts";

const SESSIONS = 100;
/** As real models do: a second until the first word, then 30 deltas a second. */
const TICKING = { thinkingMs: 1_000, deltas: 40, everyMs: 33 };
const ROUNDS = 3;
const IDLE_BATCH = 250;
const IDLE_BATCHES = 6;
const CYCLES = 1_000;
const CYCLES_A_SAMPLE = 20;
const KB = 1_000;

const openMany = (program: Program, cwd: string, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => program.newSession(cwd)));

/** What counts is how many turns fit beside one another, and that nobody's words wait for the others'. */
async function sideBySide(): Promise<Row[]> {
  using model = tickingModel(TICKING);
  await using project = await tempDir({ "main.tf": "" });
  await using program = await startProgram({ config: configOf(model) });
  const ids = await openMany(program, project.path, SESSIONS);
  const promptAll = () => Promise.all(ids.map((id) => program.prompt(id, "Go")));
  await promptAll();
  const one: number[] = [];
  const all: number[] = [];
  const ages: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    program.onUpdate(() => undefined);
    one.push(await timed(() => program.prompt(ids[0] ?? "", "Go")));
    program.onUpdate((line) => void ages.push(...agesOf(line, performance.now())));
    all.push(await timed(promptAll));
  }
  const sorted = ages.toSorted((a, b) => a - b);
  if (sorted.length < SESSIONS * TICKING.deltas * ROUNDS)
    throw new Error(`Only ${sorted.length} deltas arrived`);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  return [
    {
      name: `${SESSIONS} turns side by side, turns a second`,
      unit: "1/s",
      ...statsOf(all.map((ms) => (SESSIONS * 1_000) / ms)),
      reference: { name: "one after the other", median: 1_000 / statsOf(one).median },
      target: { kind: "at_least", ratio: 50 },
    },
    {
      name: `age of an update at the client, p99, ${SESSIONS} turns at once`,
      unit: "ms",
      ...statsOf(ages),
      median: p99,
      bound: 100,
    },
  ];
}

/** Growth of resident memory for each further session, batch by batch. Bytes. */
async function growth(program: Program, openBatch: () => Promise<unknown>): Promise<number[]> {
  await openBatch();
  const grown: number[] = [];
  let before = residentBytes(program.pid);
  for (let batch = 0; batch < IDLE_BATCHES; batch += 1) {
    await openBatch();
    const after = residentBytes(program.pid);
    grown.push((after - before) / IDLE_BATCH);
    before = after;
  }
  return grown;
}

/** The mean over all batches is what counts: garbage of one batch is collected in another. */
function memoryRow(name: string, grown: readonly number[]): Row {
  const kilobytes = grown.map((bytes) => bytes / KB);
  const mean = kilobytes.reduce((sum, kb) => sum + kb, 0) / kilobytes.length;
  return { name, unit: "kB", ...statsOf(kilobytes), median: mean, bound: 300 };
}

async function idleMemory(): Promise<Row[]> {
  await using model = await fakeModel([], { fallback: text("Yes."), strict: false });
  await using project = await tempDir({ "main.tf": "" });
  const measure = async (open: (program: Program) => Promise<unknown>) => {
    await using program = await startProgram({ config: configOf(model) });
    // The first turn loads the tools, which every session shares.
    await program.prompt(await program.newSession(project.path), "warm");
    return await growth(program, () => open(program));
  };
  const fresh = await measure((program) => openMany(program, project.path, IDLE_BATCH));
  const prompted = await measure(async (program) => {
    const ids = await openMany(program, project.path, IDLE_BATCH);
    for (const id of ids) await program.prompt(id, "Hi");
  });
  return [
    memoryRow("memory of an idle session", fresh),
    memoryRow("memory of an idle session after a turn", prompted),
  ];
}

async function cycles(): Promise<Row[]> {
  await using model = await fakeModel([], { fallback: text("Yes."), strict: false });
  await using project = await tempDir({ "main.tf": "" });
  await using program = await startProgram({ config: configOf(model) });
  const samples: number[] = [];
  const ms = await timed(async () => {
    for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
      const sessionId = await program.newSession(project.path);
      await program.prompt(sessionId, "Hi");
      await program.request("session/close", { sessionId });
      if (cycle % CYCLES_A_SAMPLE === 0) samples.push(residentBytes(program.pid) / 1_000_000);
    }
  });
  const quarter = samples.length / 4;
  const second = statsOf(samples.slice(quarter, 2 * quarter)).median;
  return [
    {
      name: `memory in ${CYCLES.toLocaleString("en")} open/prompt/close, last quarter`,
      unit: "MB",
      ...statsOf(samples.slice(3 * quarter)),
      reference: { name: "second quarter", median: second },
      target: { kind: "at_most", ratio: 1.05 },
    },
    { name: "open, prompt and close", unit: "ms", ...statsOf([ms / CYCLES]) },
  ];
}

export async function bench(): Promise<Row[]> {
  return [...(await sideBySide()), ...(await idleMemory()), ...(await cycles())];
}
