// The real loop with ports made by hand: a memory store, a history kept in step with it, a few tools, a gate that says
// yes. `await using rig = await openRig({ provider })`; `rig.turn("…")` runs one turn.

import { z } from "zod";
import { Budget } from "../../src/agent/compact.ts";
import { type TurnOutcome, runAgent } from "../../src/agent/loop.ts";
import type { AgentPorts, Gate, ModelChoice } from "../../src/agent/ports.ts";
import { promptText } from "../../src/agent/prompt-text.ts";
import { runSubagent } from "../../src/agent/subagent.ts";
import type { AgentEvent, DurableEvent } from "../../src/conversation/events.ts";
import { newMessageId, newSessionId } from "../../src/lib/ids.ts";
import { registryOf } from "../../src/lib/registry.ts";
import type { Provider } from "../../src/providers/provider.ts";
import { HistoryView } from "../../src/sessions/history-view.ts";
import { recover } from "../../src/sessions/recover.ts";
import { createMemoryStore } from "../../src/stores/memory.ts";
import type { Store } from "../../src/stores/store.ts";
import { agent } from "../../src/tools/agent.ts";
import { createToolSession, disposeToolSession } from "../../src/tools/tool-session.ts";
import { type Tool, defineTool } from "../../src/tools/tool.ts";
import { recordOf } from "../stores/samples.ts";
import { tempDir } from "../support/temp-dir.ts";

const LIVE: ReadonlySet<string> = new Set([
  "text_delta",
  "thought_delta",
  "warning",
  "notice",
  "tool_running",
  "tool_progress",
  "usage",
  "session_info",
]);

/** Says back what it is given, `times` times. */
export const echo = defineTool({
  name: "echo",
  kind: "read",
  description: "Says it back.",
  args: z.object({ text: z.string(), times: z.int().optional() }),
  open: ({ text, times = 1 }) => ({
    title: "Echo",
    access: { type: "none" },
    execute: async () => ({ ok: true, text: text.repeat(times) }),
  }),
});

export type RigOptions = {
  readonly provider: Provider;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly tools?: readonly Tool[];
  readonly gate?: Gate;
  readonly store?: Store;
  readonly sessionId?: ReturnType<typeof newSessionId>;
  /** Called before each event is stored; what it throws is storage trouble. */
  readonly beforeEvent?: (event: AgentEvent) => void;
};

export type Rig = AsyncDisposable & {
  readonly ports: AgentPorts;
  readonly events: readonly AgentEvent[];
  readonly store: Store;
  readonly sessionId: ReturnType<typeof newSessionId>;
  readonly turn: (text: string, signal?: AbortSignal) => Promise<TurnOutcome>;
  readonly ofType: <T extends AgentEvent["type"]>(
    type: T,
  ) => readonly Extract<AgentEvent, { type: T }>[];
};

/** A store that is given is caught up with and repaired, as after a restart. */
export async function openRig(options: RigOptions): Promise<Rig> {
  const { provider, contextWindow = 128_000, maxOutputTokens, beforeEvent } = options;
  const home = await tempDir();
  const store = options.store ?? createMemoryStore({ now: Date.now });
  const sessionId = options.sessionId ?? newSessionId();
  if (options.sessionId === undefined)
    await store.createSession({ ...recordOf(), id: sessionId, cwd: home.path, realCwd: home.path });
  const history = new HistoryView();
  const stored = await store.entries(sessionId);
  for (const entry of [...stored, ...(await recover(store, sessionId, stored))]) history.add(entry);
  const events: AgentEvent[] = [];
  const toolSession = createToolSession(home.file("out"));
  const choice: ModelChoice = {
    provider,
    model: "fake-model",
    contextWindow,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
  // Events of calls that run side by side are stored one after the other, as a session's voice does.
  let chain: Promise<unknown> = Promise.resolve();
  const emit = (event: AgentEvent): Promise<void> => {
    const run = chain.then(async () => {
      beforeEvent?.(event);
      events.push(event);
      if (LIVE.has(event.type)) return;
      const { parent, ...own } = event;
      const entry = { event: own as DurableEvent, ...(parent === undefined ? {} : { parent }) };
      for (const one of await store.append(sessionId, [entry])) history.add(one);
    });
    chain = run.catch(() => undefined);
    return run;
  };
  let controller = new AbortController();
  const ports: AgentPorts = {
    emit,
    messages: () => history.messages(),
    seqAt: (index) => history.seqAt(index),
    systemPrompt: async () => "You help.",
    model: async () => choice,
    tools: registryOf(options.tools ?? [agent, echo]),
    budget: new Budget(),
    gate: options.gate ?? (async () => ({ type: "allow" })),
    masker: { mask: (text) => text, unmask: (text) => text, unresolved: () => [] },
    toolContext: ({ toolCallId, signal, progress }) => ({
      cwd: home.path,
      roots: [home.path],
      signal,
      progress,
      session: toolSession,
      settings: { fetchAllowPrivate: [] },
      runSubagent: (prompt, description, childSignal) =>
        runSubagent({ prompt, description, parent: toolCallId }, ports, childSignal),
    }),
    cwd: home.path,
    roots: [home.path],
    cacheKey: sessionId,
    cancelTurn: () => controller.abort(),
  };
  return {
    ports,
    events,
    store,
    sessionId,
    turn: async (text, signal) => {
      controller = new AbortController();
      await emit({
        type: "user_message",
        messageId: newMessageId(),
        blocks: [{ type: "text", text }],
        text: await promptText([{ type: "text", text }], ports, controller.signal),
      });
      const both = AbortSignal.any([controller.signal, ...(signal === undefined ? [] : [signal])]);
      return runAgent(ports, both);
    },
    ofType: (type) =>
      events.flatMap((event) =>
        event.type === type ? [event as Extract<AgentEvent, { type: typeof type }>] : [],
      ),
    [Symbol.asyncDispose]: async () => {
      await disposeToolSession(toolSession);
      await home[Symbol.asyncDispose]();
    },
  };
}
