// One model request: stream its events out as they come, store the finished answer, say how it ended.

import type { AssistantMessageEvent } from "../conversation/events.ts";
import type { Message, ToolCall, Usage } from "../conversation/messages.ts";
import { type MessageId, newMessageId, newToolCallId, toMessageId } from "../lib/ids.ts";
import type { ModelEvent, ModelFailure, ToolSpec } from "../providers/provider.ts";
import type { AgentPorts, ModelChoice } from "./ports.ts";

export type StepOutcome =
  | { readonly type: "stop"; readonly usage: Usage | undefined }
  | { readonly type: "refusal"; readonly usage: Usage | undefined }
  | {
      readonly type: "calls";
      readonly calls: readonly ToolCall[];
      readonly usage: Usage | undefined;
    }
  /** The output limit was hit; none of `calls` may run. */
  | {
      readonly type: "length";
      readonly calls: readonly ToolCall[];
      readonly usage: Usage | undefined;
    }
  /** `shown`: the break was marked behind text that had been shown already. */
  | { readonly type: "failed"; readonly failure: ModelFailure; readonly shown: boolean }
  | { readonly type: "cancelled" };

const NO_ANSWER = "The model gave no answer.";

/** What has been streamed of one answer so far. */
class Answer {
  readonly messageId: MessageId = newMessageId();
  text = "";
  thought = "";
  #thoughts = 0;

  get thoughtId(): MessageId {
    return toMessageId(
      this.#thoughts === 0
        ? `${this.messageId}-thought`
        : `${this.messageId}-thought-${this.#thoughts}`,
    );
  }

  /** What was thought so far is void; it is shown again under another id. */
  restart(): void {
    this.thought = "";
    this.#thoughts += 1;
  }
}

async function showDelta(event: ModelEvent, answer: Answer, ports: AgentPorts): Promise<void> {
  if (event.type === "text_delta") {
    answer.text += event.text;
    await ports.emit({ type: "text_delta", messageId: answer.messageId, text: event.text });
  } else if (event.type === "thought_delta") {
    answer.thought += event.text;
    await ports.emit({ type: "thought_delta", messageId: answer.thoughtId, text: event.text });
  } else if (event.type === "notice") {
    await ports.emit({ type: "notice", messageId: newMessageId(), text: `${event.text}\n` });
  } else if (event.type === "restart") {
    answer.restart();
  }
}

type Finished = Pick<AssistantMessageEvent, "outcome" | "toolCalls"> & {
  readonly reasoning?: string;
};

async function store(
  answer: Answer,
  finished: Finished,
  model: string,
  ports: AgentPorts,
): Promise<void> {
  const { text, thought, messageId } = answer;
  if (text === "" && thought === "" && finished.toolCalls.length === 0) return;
  await ports.emit({
    type: "assistant_message",
    messageId,
    text,
    model,
    ...finished,
    ...(thought === "" ? {} : { thought }),
  });
}

/** Adds text of our own to the answer, shown like the model's. */
async function say(text: string, answer: Answer, ports: AgentPorts): Promise<void> {
  const spaced = answer.text === "" ? text : `\n\n${text}`;
  await showDelta({ type: "text_delta", text: spaced }, answer, ports);
}

async function finish(
  event: Extract<ModelEvent, { type: "done" }>,
  answer: Answer,
  model: string,
  ports: AgentPorts,
): Promise<StepOutcome> {
  // Our own ids from here on: unique in the session whatever the endpoint sent.
  const calls = event.toolCalls.map((call) => ({ ...call, id: newToolCallId() }));
  const reasoning =
    event.reasoning === undefined || event.reasoning === answer.thought
      ? {}
      : { reasoning: event.reasoning };
  if (answer.text.trim() === "" && calls.length === 0) {
    if (event.finish === "refusal") await say("The model refused to answer.", answer, ports);
    else if (event.finish !== "length") await say(NO_ANSWER, answer, ports);
  }
  await store(answer, { outcome: "complete", toolCalls: calls, ...reasoning }, model, ports);
  const { usage } = event;
  if (event.finish === "length") return { type: "length", calls, usage };
  if (calls.length > 0) return { type: "calls", calls, usage };
  return { type: event.finish === "refusal" ? "refusal" : "stop", usage };
}

/** Runs one request to its end. Never throws for what an endpoint did. */
export async function runModelStep(
  request: {
    readonly messages: readonly Message[];
    readonly tools: readonly ToolSpec[];
    readonly choice: ModelChoice;
  },
  ports: AgentPorts,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const { choice, messages, tools } = request;
  const { provider, model, thoughtLevel, maxOutputTokens } = choice;
  const answer = new Answer();
  const events = provider.stream(
    {
      model,
      messages,
      tools,
      cwd: ports.cwd,
      cacheKey: ports.cacheKey,
      ...(thoughtLevel === undefined ? {} : { thoughtLevel }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    },
    signal,
  );
  for await (const event of events) {
    if (signal.aborted) break;
    if (event.type === "done") return finish(event, answer, model, ports);
    if (event.type === "failed") {
      const { failure } = event;
      const shown = answer.text !== "";
      if (shown) await say(`[The answer was cut off here. ${failure.message}]`, answer, ports);
      await store(answer, { outcome: "broken", toolCalls: [] }, model, ports);
      return { type: "failed", failure, shown };
    }
    await showDelta(event, answer, ports);
  }
  await store(answer, { outcome: "cancelled", toolCalls: [] }, model, ports);
  if (signal.aborted) return { type: "cancelled" };
  throw new Error(`Provider ${provider.name} ended its stream without done or failed`);
}
