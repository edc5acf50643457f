// One turn of one session: lease, repair, the user's message, a slash command or the agent, the end.

import { type TurnOutcome, runAgent } from "../agent/loop.ts";
import { promptText } from "../agent/prompt-text.ts";
import { NO_USAGE } from "../agent/usage.ts";
import { parseCommand } from "../commands/parse.ts";
import type { PromptBlock } from "../conversation/content.ts";
import type { StopReason, Usage } from "../conversation/messages.ts";
import { newMessageId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { internalError } from "../protocol/errors.ts";
import { LEASE_MS } from "../stores/store.ts";
import { takeNotices } from "../tools/tool-session.ts";
import { createCommandSession } from "./command-session.ts";
import type { LiveSession } from "./live-session.ts";
import { recover } from "./recover.ts";
import { createAgentPorts } from "./session-ports.ts";
import { titleFrom } from "./title.ts";

export type TurnResult = { readonly stopReason: StopReason; readonly usage: Usage };

const CANCELLED: TurnResult = { stopReason: "cancelled", usage: NO_USAGE };

/** Holds the lease while `work` runs, renewing it; throws -32603 `session_busy` when another process has it. */
async function withLease<T>(session: LiveSession, work: () => Promise<T>): Promise<T> {
  const { store, holder } = session.environment;
  if (!(await store.acquireLease(session.id, holder))) {
    throw internalError(
      "session_busy",
      "Another iac-code process runs a turn of this session; wait for it to end",
    );
  }
  const renewal = setInterval(() => {
    store
      .acquireLease(session.id, holder)
      .catch((error: unknown) => log.warn("The session's lease was not renewed", error));
  }, LEASE_MS / 3);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await store.releaseLease(session.id, holder);
  }
}

/** Brings the history up to what is stored, repairing what a crash left. Entries may come from other processes too. */
async function catchUp(session: LiveSession): Promise<void> {
  const { store } = session.environment;
  const unseen = await store.entries(session.id, { afterSeq: session.history.lastSeq });
  for (const entry of unseen) {
    session.history.add(entry);
    session.masker.reserve(JSON.stringify(entry.event));
  }
  for (const entry of await recover(store, session.id, unseen)) session.history.add(entry);
}

async function announcePrompt(
  session: LiveSession,
  blocks: readonly PromptBlock[],
  text: string,
  isLocal: boolean,
): Promise<void> {
  await session.voice.emit({
    type: "user_message",
    messageId: newMessageId(),
    blocks,
    text,
    ...(isLocal ? { local: true } : {}),
  });
  if (session.record.title === undefined) {
    const title = titleFrom(blocks);
    if (title !== undefined) await session.setTitle(session.masker.mask(title));
  }
  await session.tellOwner();
}

/** What becomes of a prompt: it goes to the model as it is, or as what its command stands for, or is answered here. */
type Route =
  | { readonly type: "model"; readonly blocks: readonly PromptBlock[] }
  | { readonly type: "answer"; readonly typed: string; readonly answer: () => Promise<string> };

async function routeOf(
  session: LiveSession,
  blocks: readonly PromptBlock[],
  controller: AbortController,
): Promise<Route> {
  const [first, ...rest] = blocks;
  const parsed = first?.type === "text" ? parseCommand(first.text) : undefined;
  if (first?.type !== "text" || parsed === undefined) return { type: "model", blocks };
  const { signal } = controller;
  const { name, args } = parsed;
  const { offers } = session;
  await offers.reload();
  // A server's prompt is known when the server has started.
  if (offers.commands().get(name) === undefined) await offers.servers.settle(signal);
  const command = offers.commands().get(name);
  const answerWith = (answer: () => Promise<string>): Route => ({
    type: "answer",
    typed: first.text,
    answer,
  });
  if (command === undefined)
    return answerWith(async () => `There is no command /${name}. /help lists them.`);
  if ("run" in command)
    return answerWith(() =>
      command.run(args, {
        sessionId: session.id,
        cwd: session.record.cwd,
        signal,
        session: createCommandSession(session, controller),
      }),
    );
  const expanded = await command.expand(args, signal);
  if (!expanded.ok) return answerWith(async () => expanded.text);
  return { type: "model", blocks: [{ type: "text", text: expanded.value }, ...rest] };
}

/** Says the program's own answer; the model is not told. */
async function answerHere(
  session: LiveSession,
  blocks: readonly PromptBlock[],
  { typed, answer }: Extract<Route, { type: "answer" }>,
): Promise<void> {
  await announcePrompt(session, blocks, typed, true);
  const text = await answer();
  if (text === "") return;
  const messageId = newMessageId();
  await session.voice.emit({ type: "text_delta", messageId, text });
  await session.voice.emit({
    type: "assistant_message",
    messageId,
    text,
    toolCalls: [],
    model: "iac-code",
    outcome: "complete",
    local: true,
  });
}

async function finish(
  session: LiveSession,
  stopReason: StopReason | "error",
  usage: Usage,
): Promise<void> {
  await session.voice.flush();
  await session.voice.emit({ type: "turn_end", stopReason, usage });
  const updatedAt = new Date(session.environment.now()).toISOString();
  await session.voice.emit({ type: "session_info", updatedAt });
}

async function work(
  session: LiveSession,
  blocks: readonly PromptBlock[],
  controller: AbortController,
): Promise<TurnResult> {
  // Nothing is said or masked by any of these, so the disk is asked while the database is.
  await Promise.all([
    session.masker.harvest(controller.signal),
    session.offers.loadTools(),
    catchUp(session),
  ]);
  const route = await routeOf(session, blocks, controller);
  if (route.type === "answer") {
    await answerHere(session, blocks, route);
    const stopReason = controller.signal.aborted ? "cancelled" : "end_turn";
    await finish(session, stopReason, NO_USAGE);
    return { stopReason, usage: NO_USAGE };
  }
  await session.offers.servers.settle(controller.signal);
  const ports = await createAgentPorts(session, controller);
  const notices = takeNotices(session.toolSession);
  const text = [...notices, await promptText(route.blocks, ports, controller.signal)].join("\n\n");
  await announcePrompt(session, blocks, text, false);
  const reports = session.offers.servers.takeReports().map((text) => session.masker.mask(text));
  for (const notice of [...notices, ...reports])
    await session.voice.emit({ type: "warning", text: `[${notice}]\n\n` });
  session.toolSession.checkpoints.beginTurn();
  const outcome: TurnOutcome = await runAgent(ports, controller.signal);
  await session.toolSession.checkpoints.endTurn();
  if (outcome.type === "failed") {
    await finish(session, "error", outcome.usage);
    const { kind, message, status, provider } = outcome.failure;
    throw internalError("model_error", message, {
      provider,
      reason: kind,
      ...(status === undefined ? {} : { status }),
    });
  }
  await finish(session, outcome.stopReason, outcome.usage);
  return { stopReason: outcome.stopReason, usage: outcome.usage };
}

/** Runs the turn; throws RpcErrors for what a client must know: session_busy, model_error. */
export async function runTurn(
  session: LiveSession,
  blocks: readonly PromptBlock[],
  controller: AbortController,
): Promise<TurnResult> {
  if (controller.signal.aborted) return CANCELLED;
  const blocked = session.environment.blocked();
  if (blocked !== undefined)
    throw internalError(
      "config_error",
      `No turn runs until the configuration is mended: ${blocked}`,
    );
  return withLease(session, () => work(session, blocks, controller));
}
