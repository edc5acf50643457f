// A question of the model's, put to whoever owns the session: as a form where the client has forms, as options in the
// permission dialog where it has not. https://agentclientprotocol.com/protocol/v1/draft/elicitation

import type {
  CreateElicitationRequest,
  ElicitationPropertySchema,
  RequestPermissionRequest,
} from "@agentclientprotocol/sdk/unstable";
import type { ClientPort } from "../dispatch/client-port.ts";
import type { SessionId, ToolCallId } from "../lib/ids.ts";
import { isRecord } from "../lib/json.ts";
import { log } from "../lib/log.ts";
import { escapeInvisible } from "../lib/text.ts";
import type { Forms, ServerAnswer } from "../mcp/elicit.ts";
import type { ToolContext, UserAnswer, UserQuestion } from "../tools/tool.ts";

/** A question that is still open by then counts as not answered. */
const ANSWER_LIMIT_MS = 30 * 60 * 1_000;
const ANSWER_FIELD = "answer";
const NO_ANSWER_OPTION = "no_answer";

export type AskParts = {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  /** The connection that owns the session now, and a signal that aborts when another one takes over. */
  readonly owner: () => { readonly port: ClientPort; readonly replaced: AbortSignal } | undefined;
  /** Ends the turn, as an open permission question that is answered with "cancelled" does. */
  readonly cancelTurn: () => void;
};

type Field = UserQuestion["fields"][number];

function defaultOf({ type, default: value }: Field): { readonly default?: unknown } {
  if (value === undefined) return {};
  if (type === "boolean") return { default: value === "true" };
  if (type !== "number") return { default: value };
  return Number.isFinite(Number(value)) ? { default: Number(value) } : {};
}

function toProperty(field: Field): ElicitationPropertySchema {
  const { name, description, type = "string" } = field;
  return {
    type,
    title: name,
    ...(description === undefined ? {} : { description }),
    ...defaultOf(field),
  } as ElicitationPropertySchema;
}

function toForm(question: UserQuestion, { sessionId, toolCallId }: AskParts): object {
  const { options, fields } = question;
  const answer = { type: "string", title: "Answer", ...(options.length > 0 && { enum: options }) };
  const properties =
    fields.length === 0
      ? { [ANSWER_FIELD]: answer }
      : Object.fromEntries(fields.map((field) => [field.name, toProperty(field)]));
  const required = fields.flatMap(({ name, required: must }) => (must === false ? [] : [name]));
  return {
    sessionId,
    toolCallId,
    mode: "form",
    message: question.question,
    requestedSchema: {
      type: "object",
      properties,
      required: fields.length === 0 ? [ANSWER_FIELD] : required,
    },
  } satisfies { readonly mode: CreateElicitationRequest["mode"]; readonly [key: string]: unknown };
}

function toDialog(question: UserQuestion, { sessionId, toolCallId }: AskParts) {
  return {
    sessionId,
    toolCall: {
      toolCallId,
      title: question.question,
      kind: "other",
      status: "in_progress",
      content: [{ type: "content", content: { type: "text", text: question.question } }],
    },
    options: [
      ...question.options.map((name, index) => ({
        optionId: `answer_${index + 1}`,
        name,
        kind: "allow_once" as const,
      })),
      { optionId: NO_ANSWER_OPTION, name: "None of these", kind: "reject_once" },
    ],
  } satisfies RequestPermissionRequest;
}

/** What a form's answer says; unknown actions count as no answer. */
function readForm(raw: unknown): UserAnswer {
  if (!isRecord(raw)) return { type: "declined" };
  if (raw["action"] !== "accept") return { type: "declined" };
  return { type: "answered", values: isRecord(raw["content"]) ? raw["content"] : {} };
}

/** What a dialog's answer says, nested or flat; only an option that was offered counts. */
function readDialog(raw: unknown, { options }: UserQuestion): UserAnswer {
  if (!isRecord(raw)) return { type: "declined" };
  const body = isRecord(raw["outcome"]) ? raw["outcome"] : raw;
  if (body["outcome"] === "cancelled") return { type: "cancelled" };
  const chosen = body["optionId"] ?? body["option_id"];
  const answer = options.find((_, index) => chosen === `answer_${index + 1}`);
  return answer === undefined
    ? { type: "declined" }
    : { type: "answered", values: { [ANSWER_FIELD]: answer } };
}

async function putTo(
  port: ClientPort,
  question: UserQuestion,
  parts: AskParts,
  signal: AbortSignal,
): Promise<UserAnswer> {
  if (port.abilities().elicitationForm)
    return readForm(await port.request("elicitation/create", toForm(question, parts), signal));
  if (question.options.length === 0) return { type: "impossible" };
  const dialog = toDialog(question, parts);
  return readDialog(await port.request("session/request_permission", dialog, signal), question);
}

type Owner = NonNullable<ReturnType<AskParts["owner"]>>;

/** Puts a question to the owner, and again where another connection takes the session over; `undefined`: nobody answered. */
async function putToOwner<T>(
  owner: AskParts["owner"],
  put: (port: Owner["port"], until: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const limit = AbortSignal.timeout(ANSWER_LIMIT_MS);
  for (;;) {
    const now = owner();
    if (now === undefined) return undefined;
    try {
      return await put(now.port, AbortSignal.any([signal, limit, now.replaced]));
    } catch (error) {
      if (signal.aborted) return undefined;
      if (now.replaced.aborted) continue;
      log.warn("A question was not answered", error instanceof Error ? error.message : error);
      return undefined;
    }
  }
}

export function createAskUser(parts: AskParts): NonNullable<ToolContext["askUser"]> {
  return async (question, signal) => {
    const answer = await putToOwner(
      parts.owner,
      (port, until) => putTo(port, question, parts, until),
      signal,
    );
    if (answer?.type === "cancelled") parts.cancelTurn();
    return answer ?? { type: signal.aborted ? "cancelled" : "declined" };
  };
}

/** Questions of MCP servers, shown as they come, with the name of who asks. */
export function createServerForms({
  sessionId,
  owner,
}: Pick<AskParts, "sessionId" | "owner">): Forms {
  return {
    canAsk: () => owner()?.port.abilities().elicitationForm === true,
    ask: async ({ server, message, schema }, signal) => {
      const form = {
        sessionId,
        mode: "form",
        message: `MCP server ${server} asks: ${escapeInvisible(message)}`,
        requestedSchema: schema,
      };
      const answer = await putToOwner(
        owner,
        async (port, until) => readForm(await port.request("elicitation/create", form, until)),
        signal,
      );
      if (answer?.type !== "answered") return { action: "decline" };
      return { action: "accept", content: answer.values as ServerAnswer["content"] & object };
    },
  };
}
