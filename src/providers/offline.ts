// The built-in model that is none: a deterministic reviewer behind the provider contract. It looks at the project with
// the same tools, says what it found with file and line, offers safe fixes through the usual permission, and tells how to
// connect a real model. What to do next is read off the conversation, so it keeps no state.

import { fastValidate } from "../iac/validate.ts";
import { tellChanges } from "./offline-changes.ts";
import { readQuestion } from "./offline-intent.ts";
import { tellPlans } from "./offline-plan.ts";
import { review } from "./offline-review.ts";
import { HOW_TO_CONNECT, type OfflineTurn, callTools, sayLast, turnOf } from "./offline-turn.ts";
import type { ModelEvent, ModelRequest, Provider } from "./provider.ts";

const MAX_MESSAGE_LENGTH = 300;

const WHAT_I_CAN = `Without one I can still do this, by rules:
- "review": check the project and offer safe fixes, each asked about before it is made
- "fix": offer the safe fixes at once
- "explain", or "explain aws_vpc.main": what the project is made of, and what hangs on what
- "what changed": the uncommitted work, with the blocks it touches
- "plan": a card of a plan file that lies here
/validate and /map do the same without asking me.
`;

/** Questions of iac_map that together say what an address is. */
const ABOUT = ["where_is", "depends_on", "dependents"] as const;
const ABOUT_TITLES = {
  where_is: "It stands at",
  depends_on: "It needs",
  dependents: "These need it",
};

async function* explain(
  turn: OfflineTurn,
  address: string | undefined,
): AsyncGenerator<ModelEvent> {
  const { done } = turn;
  if (done.length === 0) {
    const wanted =
      address === undefined
        ? [["iac_map", { query: "summary" }] as const]
        : ABOUT.map((query) => ["iac_map", { query, of: address }] as const);
    return yield callTools(...wanted);
  }
  const parts = done.map(({ args, result }) => {
    const title = ABOUT.find((query) => query === args["query"]);
    return title === undefined ? result : `${ABOUT_TITLES[title]}:\n${result}`;
  });
  yield* sayLast(`${parts.join("\n\n")}\n\n${HOW_TO_CONNECT}`);
}

async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  // A request without tools wants a summary. There is none to give; the caller has a digest of its own.
  if (request.tools.length === 0) return yield { type: "done", finish: "stop", toolCalls: [] };
  const turn = turnOf(request.messages);
  const question = readQuestion(turn.asked);
  const { cwd } = request;
  const check = () => fastValidate(cwd, {}, signal);
  switch (question.intent) {
    case "chat":
      return yield* sayLast(`${HOW_TO_CONNECT}\n${WHAT_I_CAN}`);
    case "explain":
      return yield* explain(turn, question.address);
    case "changes":
      return yield* tellChanges(turn, async () => (await check()).findings);
    case "plan":
      return yield* tellPlans(turn, cwd);
    case "fix":
    case "review":
    case "validate":
      return yield* review(turn, { cwd, question, check });
    default:
      return question.intent satisfies never;
  }
}

/** Keeps the contract: nothing after an abort, and faults of ours as data. */
async function* guarded(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  if (signal.aborted) return;
  try {
    for await (const event of stream(request, signal)) {
      if (signal.aborted) return;
      yield event;
    }
  } catch (error) {
    // Only an abort may end the review early; anything else is a fault of this program, said as data like any endpoint's.
    if (signal.aborted) return;
    const message = `The offline reviewer failed: ${error instanceof Error ? error.message : String(error)}`;
    yield {
      type: "failed",
      failure: {
        kind: "protocol",
        message: message.slice(0, MAX_MESSAGE_LENGTH),
        provider: "offline",
      },
      partial: false,
    };
  }
}

export function createOfflineProvider(): Provider {
  return {
    name: "offline",
    stream: guarded,
    listModels: async () => [{ id: "offline", name: "Offline reviewer (no language model)" }],
  };
}
