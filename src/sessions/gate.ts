// The gate of one session: policy first, then the question to whoever owns the session, then a row in the store.
// Fails closed: an error, an unknown answer, a connection that closes or 30 minutes without an answer deny.

import type { RequestPermissionRequest, ToolCallUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Gate, GateAnswer, GateRequest, Verdict } from "../agent/ports.ts";
import type { ToolContent } from "../conversation/content.ts";
import type { PermissionEvent } from "../conversation/events.ts";
import type { ClientPort } from "../dispatch/client-port.ts";
import type { SessionId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { escapeInvisible, fence } from "../lib/text.ts";
import type { Grant } from "../permissions/grants.ts";
import {
  type Answer,
  type PermissionOption,
  grantsFrom,
  optionsFor,
  readAnswer,
} from "../permissions/options.ts";
import { type Decision, type PolicyContext, type Question, decide } from "../permissions/policy.ts";
import { resolveRequest } from "../permissions/request.ts";
import { toWireContent, toWireLocations } from "./wire-content.ts";
import { PARENT_META_KEY } from "./to-update.ts";

/** An open question is denied after this long. */
export const ANSWER_LIMIT_MS = 30 * 60 * 1_000;
const DENIED_TEXT = "Permission denied.";

export type GateParts = {
  readonly sessionId: SessionId;
  readonly policy: () => PolicyContext;
  readonly addGrants: (grants: readonly Grant[]) => void;
  readonly record: (event: PermissionEvent, request: GateRequest) => Promise<void>;
  /** The connection that owns the session now, and a signal that aborts when another one takes over. */
  readonly owner: () => { readonly port: ClientPort; readonly replaced: AbortSignal } | undefined;
  /** Default: `ANSWER_LIMIT_MS`. */
  readonly answerLimitMs?: number;
};

/** What the question shows beside the title: diffs as they are, a command in full, everything invisible made visible. */
function questionContent(
  request: GateRequest,
  question: Question,
  preview: readonly ToolContent[],
): ToolContent[] {
  const { access } = request;
  const shown: ToolContent[] = [...preview];
  if (access.type === "command" && preview.length === 0) {
    shown.push({ type: "text", text: fence(escapeInvisible(access.command), "sh") });
  }
  const notes = [
    ...question.reasons,
    ...(access.type === "command" ? access.analysis.warnings : []),
  ];
  if (notes.length > 0)
    shown.push({
      type: "text",
      text: notes.map((note) => `- ${escapeInvisible(note, "\n")}`).join("\n"),
    });
  return shown;
}

function toWireRequest(
  sessionId: SessionId,
  request: GateRequest,
  content: readonly ToolContent[],
  options: readonly PermissionOption[],
): RequestPermissionRequest {
  const toolCall: ToolCallUpdate = {
    toolCallId: request.toolCallId,
    title: escapeInvisible(request.title, ""),
    name: request.tool,
    kind: request.kind,
    status: "pending",
    rawInput: request.rawInput,
    content: toWireContent(content),
    locations: toWireLocations(request.locations),
    ...(request.parent === undefined ? {} : { _meta: { [PARENT_META_KEY]: request.parent } }),
  };
  return { sessionId, toolCall, options: [...options] };
}

function subjectOf({ access, title }: GateRequest): string {
  if (access.type === "command") return access.command;
  if (access.type === "read" || access.type === "write")
    return access.paths.map(({ path }) => path).join(", ");
  return access.type === "fetch" ? access.url : title;
}

function toEvent(
  request: GateRequest,
  outcome: PermissionEvent["outcome"],
  by: string,
): PermissionEvent {
  const { access, toolCallId, tool } = request;
  const graded =
    access.type === "command"
      ? { class: access.analysis.class }
      : access.type === "action"
        ? { class: access.class }
        : {};
  return {
    type: "permission",
    toolCallId,
    tool,
    subject: subjectOf(request),
    outcome,
    by,
    ...graded,
  };
}

/** Asks, and asks again where another connection takes the session over; resolves with the raw answer. */
async function askOwner(
  params: RequestPermissionRequest,
  parts: GateParts,
  signal: AbortSignal,
): Promise<unknown> {
  for (;;) {
    const owner = parts.owner();
    if (owner === undefined) return undefined;
    try {
      return await owner.port.request(
        "session/request_permission",
        params,
        AbortSignal.any([signal, owner.replaced]),
      );
    } catch (error) {
      if (signal.aborted) return undefined;
      if (owner.replaced.aborted) continue;
      log.warn(
        "A permission question was not answered",
        error instanceof Error ? error.message : error,
      );
      return undefined;
    }
  }
}

/** A decision of the policy → what the loop does. */
export function createGate(parts: GateParts): Gate {
  const askUser = async (
    request: GateRequest,
    question: Question,
    preview: readonly ToolContent[],
    turn: AbortSignal,
  ): Promise<GateAnswer> => {
    const options = optionsFor(question);
    const params = toWireRequest(
      parts.sessionId,
      request,
      questionContent(request, question, preview),
      options,
    );
    const limit = AbortSignal.timeout(parts.answerLimitMs ?? ANSWER_LIMIT_MS);
    const raw = await askOwner(params, parts, AbortSignal.any([turn, limit]));
    const answer: Answer = turn.aborted ? { outcome: "cancelled" } : readAnswer(raw, options);
    parts.addGrants(grantsFrom(question, answer));
    const by =
      answer.optionId === undefined
        ? limit.aborted
          ? "no answer in time"
          : "no valid answer"
        : `answer ${answer.optionId}`;
    await parts.record(
      toEvent(request, answer.outcome, answer.outcome === "cancelled" ? "cancelled" : by),
      request,
    );
    if (answer.outcome === "cancelled") return { type: "cancelled" };
    return answer.outcome === "allowed" ? { type: "allow" } : { type: "deny", text: DENIED_TEXT };
  };

  return async (request): Promise<Verdict> => {
    const resolved = await resolveRequest(request.tool, request.access);
    const decision: Decision = decide(resolved, parts.policy());
    switch (decision.decision) {
      case "allow":
        await parts.record(toEvent(request, "allowed", decision.by), request);
        return { type: "allow" };
      case "deny":
        await parts.record(toEvent(request, "denied", decision.by), request);
        return { type: "deny", text: `${DENIED_TEXT} ${decision.reason}` };
      case "ask":
        return {
          type: "ask",
          ask: (preview, signal) => askUser(request, decision, preview, signal),
        };
    }
  };
}
