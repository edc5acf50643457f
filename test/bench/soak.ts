// The soak: hundreds of turns in one process over stdio, against a model server that answers in every way of real
// endpoints, for a user who cancels, refuses, queues, compacts and loads. `bun run bench soak` prints the table.

import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { unansweredCalls } from "../../src/conversation/from-events.ts";
import { repairHistory } from "../../src/conversation/history.ts";
import { toSessionId } from "../../src/lib/ids.ts";
import { HistoryView } from "../../src/sessions/history-view.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import {
  type AcpClient,
  type Json,
  NO_ANSWER,
  RpcFailure,
  openAgent,
} from "../support/acp-client.ts";
import { type FakeModel, fakeModel } from "../support/fake-model.ts";
import { historyFaults } from "../support/strict-history.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { type Row, statsOf } from "./row.ts";
import { type Random, FAULTS, createRandom, drawReply } from "./support-soak.ts";

const TURNS = 500;
const SEED = 20_260_101;
const TURNS_PER_SESSION = 25;
/** What hangs is cancelled at most this long after it began. */
const PATIENCE_MS = 300;
/** Growth of resident memory between the end of the first quarter and the end that counts as flat. MB. */
const FLAT_MB = 64;
const STOP_REASONS: ReadonlySet<unknown> = new Set([
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
]);
const MAIN_TF = 'resource "terraform_data" "x" {\n  input = "one"\n}\n';

export type SoakReport = {
  readonly turns: number;
  readonly requests: number;
  readonly sessions: number;
  /** How often each answer was given. */
  readonly drawn: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly cancelMs: readonly number[];
  /** Resident memory of the process in MB, after each tenth of the turns. */
  readonly memoryMb: readonly number[];
  /** What must not be: empty when all is well. */
  readonly faults: readonly string[];
};

type Soak = {
  readonly client: AcpClient;
  readonly model: FakeModel;
  readonly project: TempDir;
  readonly random: Random;
  readonly faults: string[];
  readonly outcomes: Record<string, number>;
  readonly cancelMs: number[];
  sessionId: string;
};

function residentMb(pid: number): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kb ?? 0) / 1024);
}

/** Processes that work in the folder (Linux). */
function processesIn(folder: string): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder) ? [pid] : [];
    } catch {
      // It ended while we looked, or is another user's.
      return [];
    }
  });
}

const add = (table: Record<string, number>, name: string): void => {
  table[name] = (table[name] ?? 0) + 1;
};

/** Nobody waits for ever for what hangs. */
function cancelLater(client: AcpClient, sessionId: string, random: Random): void {
  setTimeout(() => {
    if (!client.isEnded) void client.notify("session/cancel", { sessionId });
  }, random.next() * PATIENCE_MS);
}

/** A person who mostly says yes, sometimes no, and sometimes nothing of use. */
function answerAsPeopleDo(client: AcpClient, random: Random): void {
  client.handlers["session/request_permission"] = ({ sessionId }) => {
    const roll = random.next();
    if (roll < 0.05) {
      cancelLater(client, String(sessionId), random);
      return NO_ANSWER;
    }
    if (roll < 0.1) return { outcome: { outcome: "cancelled" } };
    if (roll < 0.15) return { outcome: { outcome: "selected", optionId: "no such option" } };
    const optionId = random.pick(["allow_once", "allow_once", "allow_always", "reject_once"]);
    return { outcome: { outcome: "selected", optionId } };
  };
}

/** One prompt to its response; what it may not be becomes a fault. */
async function prompt(soak: Soak, words: string): Promise<void> {
  const { client, sessionId, faults, outcomes } = soak;
  const before = client.text(sessionId).length;
  try {
    const result = await client.prompt(sessionId, words);
    const reason = result["stopReason"];
    if (!STOP_REASONS.has(reason)) faults.push(`${words}: stopReason ${String(reason)}`);
    add(outcomes, String(reason));
    if (reason === "end_turn" && client.text(sessionId).length === before)
      faults.push(`${words}: end_turn without a word`);
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    const kind = String((error.data as Json | undefined)?.["kind"]);
    add(outcomes, kind);
    if (kind !== "model_error")
      faults.push(`${words}: ${error.message} ${JSON.stringify(error.data)}`);
  }
}

/** Cancels now and sees how long the turn takes to say so. */
async function cancel({ client, sessionId, cancelMs }: Soak, turn: Promise<void>): Promise<void> {
  const started = performance.now();
  await client.notify("session/cancel", { sessionId });
  await turn;
  cancelMs.push(performance.now() - started);
}

async function oneTurn(soak: Soak, n: number): Promise<void> {
  const { client, random, project, sessionId } = soak;
  const roll = random.next();
  if (roll < 0.03) return prompt(soak, "/compact");
  if (roll < 0.04) return prompt(soak, "/clear");
  if (roll < 0.06) {
    await client.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
  }
  if (roll < 0.1) {
    await Promise.all([prompt(soak, `Turn ${n}, first`), prompt(soak, `Turn ${n}, second`)]);
    return;
  }
  const turn = prompt(soak, `Turn ${n}`);
  if (roll > 0.93) {
    await soak.model.received(soak.model.requests.length + 1);
    await cancel(soak, turn);
  } else await turn;
}

/** What the store holds of each session is whole, and each session loads. */
async function checkSessions(soak: Soak, ids: readonly string[], home: string): Promise<void> {
  const { client, faults, project } = soak;
  for (const sessionId of ids)
    await client
      .request("session/load", { sessionId, cwd: project.path, mcpServers: [] })
      .catch((error: unknown) => faults.push(`${sessionId} does not load: ${String(error)}`));
  await using store = await openSqliteStore(join(home, ".iac-code/sessions/sessions.db"), {
    now: Date.now,
  });
  for (const id of ids) {
    const entries = await store.entries(toSessionId(id));
    const open = unansweredCalls(entries);
    if (open.length > 0) faults.push(`${id}: ${open.length} calls without a result`);
    const view = new HistoryView();
    for (const entry of entries) view.add(entry);
    const { messages } = repairHistory(view.messages());
    faults.push(...historyFaults(messages).map((fault) => `${id}: ${fault}`));
  }
}

/** Runs the turns and looks at what they left. */
export async function soakFor(turns: number, seed = SEED): Promise<SoakReport> {
  const random = createRandom(seed);
  const drawn: Record<string, number> = {};
  let depth = 0;
  let running: Soak | undefined;
  await using project = await tempDir({ "main.tf": MAIN_TF });
  await using home = await tempDir();
  await using model = await fakeModel([], {
    fallback: (request) => {
      const { name, reply, hangs } = drawReply(random, request, depth);
      depth += 1;
      add(drawn, name);
      if (hangs === true && running !== undefined)
        cancelLater(running.client, running.sessionId, random);
      return reply;
    },
  });
  const ids: string[] = [];
  const memoryMb: number[] = [];
  const faults: string[] = [];
  {
    await using client = await openAgent("stdio", {
      env: { ...model.env(), IACCODE_LOG: "silent" },
      home: home.path,
    });
    answerAsPeopleDo(client, createRandom(seed + 1));
    running = { client, model, project, random, faults, outcomes: {}, cancelMs: [], sessionId: "" };
    await client.initialize();
    for (let n = 0; n < turns; n += 1) {
      if (n % TURNS_PER_SESSION === 0) {
        const params = { cwd: project.path, mcpServers: [] };
        running.sessionId = String((await client.request("session/new", params))["sessionId"]);
        ids.push(running.sessionId);
      }
      depth = 0;
      await oneTurn(running, n);
      if ((n + 1) % Math.ceil(turns / 10) === 0)
        memoryMb.push(residentMb(client.process.child.pid));
    }
    await checkSessions(running, ids, home.path);
    client.assertConformant();
  }
  faults.push(...processesIn(project.path).map((pid) => `process ${pid} is left`));
  faults.push(...model.violations);
  return {
    turns,
    requests: model.requests.length,
    sessions: ids.length,
    drawn,
    outcomes: running.outcomes,
    cancelMs: running.cancelMs,
    memoryMb,
    faults,
  };
}

/** Memory that was gained after the first quarter, once everything is warm. MB. */
export function growthMb(memoryMb: readonly number[]): number {
  const warm = memoryMb[Math.floor(memoryMb.length / 4)] ?? 0;
  return (memoryMb.at(-1) ?? 0) - warm;
}

export async function bench(): Promise<readonly Row[]> {
  const started = performance.now();
  const report = await soakFor(TURNS);
  const one = (name: string, value: number, unit = "", bound?: number): Row => ({
    name,
    unit,
    median: value,
    min: value,
    max: value,
    ...(bound === undefined ? {} : { bound }),
  });
  for (const fault of report.faults) console.error(fault);
  const outcomes = Object.entries(report.outcomes).toSorted(([, a], [, b]) => b - a);
  return [
    one("turns", report.turns),
    one("model requests", report.requests),
    one("sessions", report.sessions),
    one("kinds of answers drawn", Object.keys(report.drawn).length, `of ${FAULTS.length + 2}`),
    ...outcomes.map(([name, n]) => one(`ended with ${name}`, n)),
    {
      name: "session/cancel to its response",
      unit: "ms",
      ...statsOf(report.cancelMs),
      bound: 1_000,
    },
    { name: "resident memory", unit: "MB", ...statsOf(report.memoryMb) },
    one("memory gained after the first quarter", growthMb(report.memoryMb), "MB", FLAT_MB),
    one("faults: requests, histories, loads, processes", report.faults.length, "", 0),
    one("time", (performance.now() - started) / 1_000, "s"),
  ];
}

if (import.meta.main) console.table(await bench());
