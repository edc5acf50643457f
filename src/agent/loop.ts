// The turn: model → tools → model, until the model stops, a limit is reached or someone cancels.
// State is the conversation (in the session) and three local counters; output goes only through `ports.emit`.

import type { Message, StopReason, ToolCall, Usage } from "../conversation/messages.ts";
import { newMessageId, toToolCallId } from "../lib/ids.ts";
import type { ModelFailure, ToolSpec } from "../providers/provider.ts";
import { runModelStep } from "./model-step.ts";
import type { AgentPorts } from "./ports.ts";
import { runCalls } from "./run-calls.ts";
import { failCall } from "./run-tool.ts";
import { NO_USAGE, addUsage } from "./usage.ts";

export type TurnOutcome =
  | { readonly type: "stopped"; readonly stopReason: StopReason; readonly usage: Usage }
  | { readonly type: "failed"; readonly failure: ModelFailure; readonly usage: Usage };

/** Model requests of one turn. */
export const MAX_MODEL_REQUESTS = 100;
/** Answers in a row that were cut at the output limit before the turn ends with `max_tokens`. */
const MAX_CUT_ANSWERS = 3;

const CUT_OFF =
  "Not run: the answer hit the output limit, so this call may be incomplete. Write in smaller parts: several calls, each with less content.";

/** The tools themselves, so that what is known of one is known of it in every request. */
export function toolSpecs(ports: AgentPorts): readonly ToolSpec[] {
  return ports.tools.all;
}

/** Runs until the turn ends. Rejects only when an event could not be stored. */
export async function runAgent(ports: AgentPorts, signal: AbortSignal): Promise<TurnOutcome> {
  const system: Message = { role: "system", text: await ports.systemPrompt() };
  const { budget } = ports;
  budget.beginTurn();
  let usage = NO_USAGE;
  let cutAnswers = 0;
  // Summaries and sub-agents are paid for as well.
  const total = (): Usage => addUsage(usage, budget.takeSpent());
  const stopped = (stopReason: StopReason): TurnOutcome => ({
    type: "stopped",
    stopReason,
    usage: total(),
  });

  for (let requests = 0; requests < MAX_MODEL_REQUESTS; requests += 1) {
    if (signal.aborted) return stopped("cancelled");
    const choice = await ports.model();
    // Asked anew: a server may add tools in answer to a call.
    const tools = toolSpecs(ports);
    const messages = await budget.makeRoom({ system, tools, choice }, ports, signal);
    const step = await runModelStep({ messages, tools, choice }, ports, signal);
    if (step.type === "cancelled") return stopped("cancelled");
    if (step.type === "failed") {
      // Behind text that was shown nothing is sent again.
      const mayShrink = step.failure.kind === "overflow" && !step.shown;
      if (mayShrink && (await budget.shrinkAfterOverflow({ system, tools, choice }, ports, signal)))
        continue;
      if (!step.shown) await explain(step.failure, choice.model, ports);
      return { type: "failed", failure: step.failure, usage: total() };
    }
    usage = addUsage(usage, step.usage);
    await budget.report({ messages, tools, choice, usage: step.usage }, ports);

    if (step.type === "stop") return stopped("end_turn");
    if (step.type === "refusal") return stopped("refusal");
    if (step.type === "length") {
      cutAnswers += 1;
      for (const call of step.calls) await failCall(announce(call), CUT_OFF, ports);
      if (step.calls.length === 0 || cutAnswers >= MAX_CUT_ANSWERS) return stopped("max_tokens");
      continue;
    }
    cutAnswers = 0;
    await runCalls(step.calls, ports, signal);
  }
  return stopped(signal.aborted ? "cancelled" : "max_turn_requests");
}

function announce(call: ToolCall): {
  readonly toolCallId: ReturnType<typeof toToolCallId>;
  readonly name: string;
} {
  return { toolCallId: toToolCallId(call.id), name: call.name };
}

/** Says in the conversation why the turn failed; the model is never told, so failures do not pile up in its history. */
async function explain(failure: ModelFailure, model: string, ports: AgentPorts): Promise<void> {
  const messageId = newMessageId();
  const text = `[${failure.message}]`;
  await ports.emit({ type: "text_delta", messageId, text });
  await ports.emit({
    type: "assistant_message",
    messageId,
    text,
    toolCalls: [],
    model,
    outcome: "broken",
    local: true,
  });
}
