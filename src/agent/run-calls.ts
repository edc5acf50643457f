// The order of one answer's calls: those that only read run side by side, anything else alone and in its place.

import type { ToolCall } from "../conversation/messages.ts";
import { toToolCallId } from "../lib/ids.ts";
import type { PreparedCall } from "../tools/tool.ts";
import type { AgentPorts } from "./ports.ts";
import { type OpenCall, failCall, prepareCall, runPrepared } from "./run-tool.ts";

/** Calls of one kind that run at the same time: what only reads, and sub-agents, whose own calls are gated one by one. */
const MAX_PARALLEL = { read: 8, agent: 4 } as const;
type Group = keyof typeof MAX_PARALLEL | "alone";

const NOT_STARTED = "Not run: the turn was cancelled before this call began.";

function groupOf({ access }: PreparedCall): Group {
  if (access.type === "agent") return "agent";
  if (access.type === "command") return access.analysis.class === "read" ? "read" : "alone";
  return access.type === "read" || access.type === "none" || access.type === "fetch"
    ? "read"
    : "alone";
}

/** Runs every call to a result, in an order that keeps writes where the model put them. Rejects only for storage trouble. */
export async function runCalls(
  calls: readonly ToolCall[],
  ports: AgentPorts,
  signal: AbortSignal,
): Promise<void> {
  const running = new Set<Promise<void>>();
  try {
    await startAll(calls, running, ports, signal);
  } catch (error) {
    // The calls beside the one that hit the trouble come to their end before the turn does.
    ports.cancelTurn();
    await Promise.allSettled(running);
    throw error;
  }
}

async function startAll(
  calls: readonly ToolCall[],
  running: Set<Promise<void>>,
  ports: AgentPorts,
  signal: AbortSignal,
): Promise<void> {
  let runningGroup: Group = "alone";
  for (const call of calls) {
    const open: OpenCall = { toolCallId: toToolCallId(call.id), name: call.name };
    if (signal.aborted) {
      await Promise.all(running);
      await failCall(open, NOT_STARTED, ports);
      continue;
    }
    let prepared = await prepareCall(call, ports);
    const group = prepared.ok ? groupOf(prepared.call) : "alone";
    if (running.size > 0 && group !== runningGroup) {
      // What runs now may depend on what still runs, and was prepared before that ended.
      await Promise.all(running);
      prepared = await prepareCall(call, ports);
    }
    if (!prepared.ok) {
      await failCall(open, prepared.text, ports, prepared.rawInput);
      continue;
    }
    const work = runPrepared(open, prepared.call, ports, signal);
    running.add(work);
    const leave = () => void running.delete(work);
    // A failed call stays, so that whoever waits for all of them hears of it.
    work.then(leave, () => undefined);
    runningGroup = group;
    const most = group === "alone" ? 1 : MAX_PARALLEL[group];
    while (running.size >= most) await Promise.race(running);
  }
  await Promise.all(running);
}
