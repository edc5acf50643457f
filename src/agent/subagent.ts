// A sub-agent: a fresh conversation with the same tools except `agent`, through the same gate, inside the call that
// started it. Its events carry that call's id, so its transcript is stored under the parent and can be read after a load.

import { COMPACTION_PREFIX, toMessages } from "../conversation/from-events.ts";
import type { AgentEvent } from "../conversation/events.ts";
import type { Message } from "../conversation/messages.ts";
import { type ToolCallId, newMessageId } from "../lib/ids.ts";
import { registryOf } from "../lib/registry.ts";
import type { ToolResult } from "../tools/tool.ts";
import { Budget } from "./compact.ts";
import { runAgent } from "./loop.ts";
import type { AgentPorts } from "./ports.ts";

export type SubagentTask = {
  readonly prompt: string;
  readonly description: string;
  readonly parent: ToolCallId;
};

const LIVE_TEXT: ReadonlySet<AgentEvent["type"]> = new Set([
  "text_delta",
  "thought_delta",
  "warning",
  "notice",
  "usage",
  "session_info",
]);

function childPorts(parentPorts: AgentPorts, task: SubagentTask, messages: Message[]): AgentPorts {
  const { parent } = task;
  return {
    ...parentPorts,
    emit: async (event) => {
      if (LIVE_TEXT.has(event.type)) return;
      if (event.type === "compaction") {
        messages.splice(0, event.upToSeq, {
          role: "user",
          text: COMPACTION_PREFIX + event.summary,
        });
        return;
      }
      await parentPorts.emit({ ...event, parent });
      if (
        event.type === "assistant_message" ||
        event.type === "tool_result" ||
        event.type === "user_message"
      )
        messages.push(...toMessages(event));
      if (event.type === "assistant_message" && event.text !== "") {
        const text = parentPorts.masker.mask(event.text);
        await parentPorts.emit({
          type: "tool_progress",
          toolCallId: parent,
          content: [{ type: "text", text }],
        });
      }
    },
    messages: () => messages,
    // This conversation lives only as long as its call, so its messages are numbered by their place in it.
    seqAt: (index) => index + 1,
    tools: registryOf(parentPorts.tools.all.filter((tool) => tool.name !== "agent")),
    budget: new Budget(),
    gate: (request) => parentPorts.gate({ ...request, parent }),
    toolContext: (call) => {
      const { runSubagent: _, showPlan: __, ...context } = parentPorts.toolContext(call);
      return context;
    },
    cacheKey: `${parentPorts.cacheKey}-${parent}`,
  };
}

/** Runs to the end; the result's text is the sub-agent's last words. Rejects only for storage trouble. */
export async function runSubagent(
  task: SubagentTask,
  parentPorts: AgentPorts,
  signal: AbortSignal,
): Promise<ToolResult> {
  const messages: Message[] = [];
  const ports = childPorts(parentPorts, task, messages);
  const text = parentPorts.masker.mask(task.prompt);
  await ports.emit({
    type: "user_message",
    messageId: newMessageId(),
    blocks: [{ type: "text", text }],
    text,
  });
  const outcome = await runAgent(ports, signal);
  parentPorts.budget.spend(outcome.usage);
  const last = messages.findLast((message) => message.role === "assistant");
  const words = last?.text ?? "";
  if (outcome.type === "failed")
    return {
      ok: false,
      text: `The sub-agent failed: ${outcome.failure.message}\n${words}`.trimEnd(),
    };
  if (outcome.stopReason === "end_turn")
    return { ok: true, text: words === "" ? "The sub-agent ended without a word." : words };
  return {
    ok: false,
    text: `The sub-agent ended early (${outcome.stopReason}).\n${words}`.trimEnd(),
  };
}
