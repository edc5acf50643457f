// The only way to a tool: parse → prepare → decide → ask → execute → mask → bound. Every path ends in exactly one
// `tool_result`, and `tool_call` always comes before anything else of a call.

import { parseArguments } from "../conversation/arguments.ts";
import type { ToolContent } from "../conversation/content.ts";
import type { ToolCall } from "../conversation/messages.ts";
import type { JsonValue } from "../lib/json.ts";
import type { ToolCallId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { fence } from "../lib/text.ts";
import type { PreparedCall, ToolContext, ToolResult } from "../tools/tool.ts";
import type { AgentPorts, GateAnswer, MaskHint } from "./ports.ts";

export type OpenCall = { readonly toolCallId: ToolCallId; readonly name: string };

export type PreparedOrNot =
  | { readonly ok: true; readonly call: PreparedCall }
  | { readonly ok: false; readonly text: string; readonly rawInput: JsonValue };

/** Characters of a result that the model is told, whatever the tool returned; tools have tighter limits of their own. */
export const RESULT_MAX_LENGTH = 200_000;

const CANCELLED_TEXT = "Cancelled by the user.";
/** Tools whose input may carry a secret's placeholder back to where the secret stood. */
const WRITING_KINDS: ReadonlySet<string> = new Set(["edit", "execute"]);

/** The file or command that a call's text comes from: what it prints may be secret for that alone. */
function hintOf({ access }: PreparedCall): MaskHint {
  if (access.type === "command") return { command: access.command };
  const path =
    access.type === "read" && access.paths.length === 1 ? access.paths[0]?.path : undefined;
  return path === undefined ? {} : { path };
}

function deepMap(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => deepMap(item, change));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, deepMap(item, change)]),
    );
  }
  return value;
}

/** Finds the tool and checks the arguments. Nothing runs and nobody is asked. */
export async function prepareCall(call: ToolCall, ports: AgentPorts): Promise<PreparedOrNot> {
  const tool = ports.tools.get(call.name);
  if (tool === undefined) {
    return {
      ok: false,
      rawInput: {},
      text: `There is no tool named ${JSON.stringify(call.name.slice(0, 100))}. Tools: ${ports.tools.names.join(", ")}.`,
    };
  }
  const parsed = parseArguments(call.arguments);
  if (!parsed.ok) {
    return {
      ok: false,
      rawInput: {},
      text: `${parsed.reason}\nNothing was run. The schema of ${tool.name} is ${JSON.stringify(tool.parameters)}`,
    };
  }
  const isWriting = WRITING_KINDS.has(tool.kind);
  const unknown = isWriting ? ports.masker.unresolved(JSON.stringify(parsed.value)) : [];
  if (unknown.length > 0) return { ok: false, rawInput: {}, text: unresolvedText(unknown) };
  const args = isWriting ? deepMap(parsed.value, ports.masker.unmask) : parsed.value;
  const { cwd, roots, plans } = ports;
  const place = { cwd, roots, ...(plans === undefined ? {} : { plans }) };
  const prepared = await tool.prepare(args, place);
  return prepared.ok
    ? prepared
    : { ok: false, text: prepared.text, rawInput: deepMap(parsed.value, ports.masker.mask) };
}

function unresolvedText(placeholders: readonly string[]): string {
  return `${placeholders.slice(0, 5).join(", ")} stands for no secret of this session, so the text itself would be written. Nothing was run. Read the file again and use the placeholders shown there, or ask the user for the value's place.`;
}

/** Announces and ends a call that cannot or may not run. */
export async function failCall(
  open: OpenCall,
  text: string,
  ports: AgentPorts,
  rawInput: JsonValue = {},
): Promise<void> {
  await ports.emit({
    type: "tool_call",
    toolCallId: open.toolCallId,
    name: open.name,
    kind: ports.tools.get(open.name)?.kind ?? "other",
    title: open.name,
    rawInput,
    locations: [],
    content: [],
    status: "pending",
  });
  await emitResult(open, { ok: false, text }, ports);
}

async function emitResult(
  open: OpenCall,
  result: ToolResult,
  ports: AgentPorts,
  hint: MaskHint = {},
): Promise<void> {
  const masked = ports.masker.mask(result.text, hint);
  const text =
    masked.length <= RESULT_MAX_LENGTH
      ? masked
      : `${masked.slice(0, RESULT_MAX_LENGTH)}\n[${masked.length - RESULT_MAX_LENGTH} more characters left out]`;
  // A client sees the real bytes of its own files in diffs, and the model's masked text everywhere else.
  const shown = result.content?.map((item): ToolContent =>
    item.type === "text" ? { type: "text", text: ports.masker.mask(item.text, hint) } : item,
  );
  await ports.emit({
    type: "tool_result",
    toolCallId: open.toolCallId,
    status: result.ok ? "completed" : "failed",
    text,
    content:
      shown === undefined || shown.length === 0 ? [{ type: "text", text: fence(text) }] : shown,
    ...(result.rawOutput === undefined
      ? {}
      : { rawOutput: deepMap(result.rawOutput, ports.masker.mask) }),
    ...(result.locations === undefined ? {} : { locations: result.locations }),
  });
}

type Asked = GateAnswer | { readonly type: "failed"; readonly text: string };

/** A call that cannot work ends here, before anybody is asked about it. */
async function previewAndAsk(
  call: PreparedCall,
  context: ToolContext,
  ask: (content: readonly ToolContent[], signal: AbortSignal) => Promise<GateAnswer>,
): Promise<Asked> {
  const preview = await call.preview(context);
  if (!preview.ok) return { type: "failed", text: preview.text };
  return ask(preview.content, context.signal);
}

async function execute(call: PreparedCall, context: ToolContext): Promise<ToolResult> {
  try {
    const result = await call.execute(context);
    return context.signal.aborted && result.ok
      ? { ...result, ok: false, text: `${CANCELLED_TEXT}\n${result.text}` }
      : result;
  } catch (error) {
    // A tool promises not to reject; when it does, the turn goes on and the log says what broke.
    log.error(`Tool call ${call.title} broke its contract`, error);
    return {
      ok: false,
      text: "The tool failed for a reason of its own; nothing is known about its effect.",
    };
  }
}

/** Runs a prepared call through the gate to its result. Rejects only for storage trouble. */
export async function runPrepared(
  open: OpenCall,
  call: PreparedCall,
  ports: AgentPorts,
  signal: AbortSignal,
): Promise<void> {
  const { title, kind, access, locations } = call;
  const hint = hintOf(call);
  const rawInput = deepMap(call.rawInput, ports.masker.mask);
  const safeTitle = ports.masker.mask(title);
  const request = {
    toolCallId: open.toolCallId,
    tool: open.name,
    title: safeTitle,
    kind,
    access,
    rawInput,
    locations,
  };
  const verdict = await ports.gate(request);
  await ports.emit({
    type: "tool_call",
    toolCallId: open.toolCallId,
    name: open.name,
    kind,
    title: safeTitle,
    rawInput,
    locations,
    content: [],
    status: verdict.type === "ask" ? "pending" : "in_progress",
  });
  if (verdict.type === "deny") return emitResult(open, { ok: false, text: verdict.text }, ports);

  // Whatever a tool still says after its result is not part of the call any more.
  let isRunning = true;
  const progress: ToolContext["progress"] = (content) => {
    if (!isRunning) return;
    const masked = content.map((item): ToolContent =>
      item.type === "text" ? { type: "text", text: ports.masker.mask(item.text, hint) } : item,
    );
    const event = { type: "tool_progress", toolCallId: open.toolCallId, content: masked } as const;
    // Trouble with the store is told by the next event that has to be stored.
    ports.emit(event).catch(() => undefined);
  };
  const context = ports.toolContext({ toolCallId: open.toolCallId, signal, progress });
  if (verdict.type === "ask") {
    const asked = await previewAndAsk(call, context, verdict.ask);
    if (asked.type === "failed" || asked.type === "deny")
      return emitResult(open, { ok: false, text: asked.text }, ports);
    if (asked.type === "cancelled") {
      ports.cancelTurn();
      return emitResult(open, { ok: false, text: CANCELLED_TEXT }, ports);
    }
  }
  if (signal.aborted) return emitResult(open, { ok: false, text: CANCELLED_TEXT }, ports);
  await ports.emit({ type: "tool_running", toolCallId: open.toolCallId, rawInput });
  const watch = await ports.afterEdit?.watch(call, context);
  const result = await execute(call, context);
  isRunning = false;
  await emitResult(open, watch === undefined ? result : await watch.end(result), ports, hint);
}
