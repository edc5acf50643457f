// Whatever a model answers and whenever a turn is cancelled, refused or killed: every request is whole to the strictest
// endpoint, every call has its one result in the store, and a restart has nothing left to repair.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { z } from "zod";
import type { GateRequest, Verdict } from "../../src/agent/ports.ts";
import { unansweredCalls } from "../../src/conversation/from-events.ts";
import { repairHistory } from "../../src/conversation/history.ts";
import type { ToolCall } from "../../src/conversation/messages.ts";
import { newToolCallId } from "../../src/lib/ids.ts";
import type { ModelEvent, ModelRequest, Provider } from "../../src/providers/provider.ts";
import { recover } from "../../src/sessions/recover.ts";
import { createMemoryStore } from "../../src/stores/memory.ts";
import type { StoredEntry } from "../../src/stores/store.ts";
import { agent } from "../../src/tools/agent.ts";
import { defineTool } from "../../src/tools/tool.ts";
import { historyFaults } from "../support/strict-history.ts";
import { echo, openRig } from "./rig.ts";

type Answer = {
  readonly text: string;
  readonly thought: string;
  readonly calls: readonly (readonly [name: string, args: string])[];
  readonly end: "done" | "length" | "refusal" | "failed" | "overflow" | "cancel";
};
type Turn = {
  readonly prompt: string;
  readonly answers: readonly Answer[];
  /** The process dies when it is about to store this event of the turn. */
  readonly diesAt: number | undefined;
  /** What the gate says to the calls of the turn, in order, again and again. */
  readonly verdicts: readonly Verdict["type"][];
};

const CALLS = [
  ["echo", '{"text":"x"}'],
  ["echo", '{"text":"words ","times":3000}'],
  ["echo", '"{\\"text\\":\\"twice\\"}"'],
  ["echo", '{"text": "cut o'],
  ["echo", ""],
  ["echo", "null"],
  ["echo", "[1]"],
  ["echo", " , "],
  ["nothing", "{}"],
  ["", "{}"],
  ["agent", '{"prompt":"Do it","description":"it"}'],
  ["agent", "{}"],
  ["cancel", "{}"],
  ["throw", "{}"],
] as const;
const anyCall = fc.constantFrom(...CALLS);
const anyAnswer: fc.Arbitrary<Answer> = fc.record({
  text: fc.constantFrom("", " ", "I look.", "Muito bem \ud800."),
  thought: fc.constantFrom("", "Hm."),
  calls: fc.array(anyCall, { maxLength: 4 }),
  end: fc.constantFrom(
    "done",
    "done",
    "done",
    "done",
    "length",
    "refusal",
    "failed",
    "overflow",
    "cancel",
  ),
});
const anyTurn: fc.Arbitrary<Turn> = fc.record({
  prompt: fc.constantFrom("Go on", "", "Say it \udc00", "long ".repeat(2_000)),
  answers: fc.array(anyAnswer, { maxLength: 5 }),
  diesAt: fc.option(fc.nat(25), { nil: undefined }),
  verdicts: fc.array(fc.constantFrom("allow", "allow", "deny", "ask"), {
    minLength: 1,
    maxLength: 4,
  }),
});

const FAILURE = { message: "It failed.", provider: "scripted" } as const;
class ProcessDied extends Error {}

/** Answers from the script, then in one word; checks every request. */
function scripted(script: Answer[], cancel: () => void, faults: string[]): Provider {
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    faults.push(...historyFaults(request.messages));
    const last = request.messages.at(-1);
    if (last?.role === "assistant") faults.push("the last message is the assistant's");
    const isSummary = request.tools.length === 0;
    const answer = isSummary ? undefined : script.shift();
    if (answer?.thought) yield { type: "thought_delta", text: answer.thought };
    const text = isSummary ? "A summary." : (answer?.text ?? "Done.");
    if (text !== "") yield { type: "text_delta", text };
    if (answer?.end === "cancel") cancel();
    if (signal.aborted) return;
    const end = answer?.end ?? "done";
    if (end === "failed" || end === "overflow") {
      const kind = end === "failed" ? "server" : "overflow";
      return yield { type: "failed", failure: { kind, ...FAILURE }, partial: text !== "" };
    }
    const toolCalls = (answer?.calls ?? []).map(([name, args]): ToolCall => ({
      id: newToolCallId(),
      name,
      arguments: args,
    }));
    const finish =
      end === "length" || end === "refusal" ? end : toolCalls.length > 0 ? "tool_calls" : "stop";
    yield { type: "done", finish, toolCalls: end === "refusal" ? [] : toolCalls };
  }
  return { name: "scripted", stream, listModels: async () => [] };
}

const verdictOf = (type: Verdict["type"], request: GateRequest): Verdict => {
  if (type === "allow") return { type };
  if (type === "deny") return { type, text: "Permission denied." };
  return {
    type,
    ask: async () =>
      request.toolCallId.charCodeAt(8) % 3 === 0
        ? { type: "cancelled" }
        : { type: "deny", text: "Permission denied." },
  };
};

/** Each call of a complete answer, and each that was announced, has exactly one result, behind it. */
function storeFaults(entries: readonly StoredEntry[]): string[] {
  const faults: string[] = [];
  const results = entries.flatMap(({ event }) =>
    event.type === "tool_result" ? [event.toolCallId as string] : [],
  );
  if (new Set(results).size !== results.length) faults.push("a call has two results");
  for (const { toolCallId } of unansweredCalls(entries)) faults.push(`${toolCallId} has no result`);
  return faults;
}

async function live(turns: readonly Turn[]): Promise<void> {
  const store = createMemoryStore({ now: Date.now });
  const faults: string[] = [];
  const script: Answer[] = [];
  let controller = new AbortController();
  let left = Infinity;
  let verdicts: Verdict["type"][] = [];
  const tool = (name: string, execute: () => void) =>
    defineTool({
      name,
      kind: "execute",
      description: name,
      args: z.object({}),
      open: () => ({
        title: name,
        access: { type: "none" },
        execute: async () => {
          execute();
          return { ok: true, text: "" };
        },
      }),
    });
  const options = {
    provider: scripted(script, () => controller.abort(), faults),
    contextWindow: 6_000,
    tools: [
      agent,
      echo,
      tool("cancel", () => controller.abort()),
      tool("throw", () => {
        throw new Error("A tool broke its promise");
      }),
    ],
    store,
    gate: async (request: GateRequest) => {
      const type = verdicts.shift() ?? "allow";
      verdicts.push(type);
      return verdictOf(type, request);
    },
    beforeEvent: () => {
      left -= 1;
      if (left < 0) throw new ProcessDied();
    },
  };
  let sessionId: Awaited<ReturnType<typeof openRig>>["sessionId"] | undefined;
  const open = async () => {
    const rig = await openRig(
      sessionId === undefined ? { ...options, store } : { ...options, sessionId },
    );
    sessionId = rig.sessionId;
    return rig;
  };
  let rig = await open();
  for (const turn of [...turns, { prompt: "End", answers: [], diesAt: undefined, verdicts: [] }]) {
    script.splice(0, script.length, ...turn.answers);
    verdicts = [...turn.verdicts];
    left = turn.diesAt ?? Infinity;
    controller = new AbortController();
    try {
      await rig.turn(turn.prompt, controller.signal);
      if (left >= 0) expect(storeFaults(await store.entries(rig.sessionId))).toEqual([]);
    } catch (error) {
      if (!(error instanceof ProcessDied)) throw error;
    }
    if (left >= 0) continue;
    // Dead: nothing of it writes any more, and another process takes over.
    await rig[Symbol.asyncDispose]();
    left = Infinity;
    rig = await open();
  }
  await rig[Symbol.asyncDispose]();
  const entries = await store.entries(rig.sessionId);
  expect(storeFaults(entries)).toEqual([]);
  expect(await recover(store, rig.sessionId, entries)).toEqual([]);
  expect(historyFaults(repairHistory(rig.ports.messages()).messages)).toEqual([]);
  expect(faults).toEqual([]);
}

test("any conversation with any interruption keeps every request whole and every repair stored", async () => {
  await fc.assert(fc.asyncProperty(fc.array(anyTurn, { maxLength: 4 }), live), { numRuns: 600 });
}, 60_000);
