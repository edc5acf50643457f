// The built-in model that is none: a deterministic reviewer behind the provider contract. It looks at the project with
// the same tools, says what it found with file and line, offers safe fixes through the usual permission, and tells how to
// connect a real model. What to do next is read off the conversation, so it keeps no state.

import type { Message, ToolCall } from "../conversation/messages.ts";
import { type Finding, formatFinding } from "../iac/findings.ts";
import { fastValidate } from "../iac/validate.ts";
import { count } from "../lib/text.ts";
import { newToolCallId } from "../lib/ids.ts";
import { type OfflineIntent, intentOf } from "./offline-intent.ts";
import type { ModelEvent, ModelRequest, Provider } from "./provider.ts";

/** Findings named one by one; the rest are counted. */
const MAX_NAMED = 60;
/** Fixes offered in one turn. */
const MAX_FIXES = 10;
/** Text is streamed in pieces of about this many UTF-16 units, at line borders. */
const PIECE_LENGTH = 120;

const HOW_TO_CONNECT = `I am the built-in offline reviewer: rules, no language model. For an agent that understands questions, plans and writes code, connect one:
- set a provider's key, for example OPENAI_API_KEY, ANTHROPIC_API_KEY, DASHSCOPE_API_KEY or DEEPSEEK_API_KEY, or
- point IACCODE_BASE_URL, IACCODE_MODEL and IACCODE_API_KEY at any OpenAI-compatible server, or
- start Ollama, LM Studio, llama.cpp or vLLM on this machine; it is found by itself.`;

/** What has happened since the user spoke last. */
type Stage = {
  readonly intent: OfflineIntent;
  /** Names of the tools called since, in order, each with its result. */
  readonly done: readonly {
    readonly name: string;
    readonly path: string | undefined;
    readonly result: string;
  }[];
};

function pathOfCall(call: ToolCall): string | undefined {
  const parsed: unknown = JSON.parse(call.arguments === "" ? "{}" : call.arguments);
  const path =
    typeof parsed === "object" && parsed !== null && "path" in parsed ? parsed.path : undefined;
  return typeof path === "string" ? path : undefined;
}

function stageOf(messages: readonly Message[]): Stage {
  const start = messages.findLastIndex((message) => message.role === "user");
  const asked = messages[start]?.text ?? "";
  const since = messages.slice(start + 1);
  const results = new Map(
    since.flatMap((message) =>
      message.role === "tool" ? [[message.toolCallId, message.text] as const] : [],
    ),
  );
  const calls = since.flatMap((message) => (message.role === "assistant" ? message.toolCalls : []));
  return {
    intent: intentOf(asked),
    done: calls.map((call) => ({
      name: call.name,
      path: pathOfCall(call),
      result: results.get(call.id) ?? "",
    })),
  };
}

function* say(text: string): Generator<ModelEvent> {
  let piece = "";
  for (const line of text.split(/(?<=\n)/)) {
    piece += line;
    if (piece.length < PIECE_LENGTH) continue;
    yield { type: "text_delta", text: piece };
    piece = "";
  }
  if (piece !== "") yield { type: "text_delta", text: piece };
}

function callTool(name: string, args: object): ToolCall {
  return { id: newToolCallId(), name, arguments: JSON.stringify(args) };
}

const stop: ModelEvent = { type: "done", finish: "stop", toolCalls: [] };
const callTools = (...toolCalls: readonly ToolCall[]): ModelEvent => ({
  type: "done",
  finish: "tool_calls",
  toolCalls,
});

function describe(findings: readonly Finding[], notChecked: readonly string[]): string {
  const by = (severity: Finding["severity"]) =>
    findings.filter((finding) => finding.severity === severity).length;
  if (findings.length === 0)
    return `I found nothing wrong.${notChecked.map((one) => `\nNot checked: ${one}`).join("")}\n`;
  const summary = [
    count(by("error"), "error"),
    count(by("warning"), "warning"),
    count(by("info"), "note"),
  ].join(", ");
  const rows = findings.slice(0, MAX_NAMED).map((finding) => `- ${formatFinding(finding)}`);
  const more = findings.length > MAX_NAMED ? [`- … and ${findings.length - MAX_NAMED} more`] : [];
  const unchecked = notChecked.map((one) => `- Not checked: ${one}`);
  return `I found ${summary}:\n\n${[...rows, ...more, ...unchecked].join("\n")}\n`;
}

/** Findings whose fix can be applied, and the files they are in. */
function fixable(findings: readonly Finding[]): {
  readonly fixes: readonly Finding[];
  readonly files: readonly string[];
} {
  const fixes = findings.filter(({ fix }) => fix !== undefined).slice(0, MAX_FIXES);
  return { fixes, files: [...new Set(fixes.map(({ file }) => file))] };
}

function* review(
  findings: readonly Finding[],
  notChecked: readonly string[],
  { done, intent }: Stage,
): Generator<ModelEvent> {
  const names = done.map(({ name }) => name);
  const { fixes, files } = fixable(findings);
  if (!names.includes("iac_validate")) {
    yield* say("I look at what the project is made of and check it.\n\n");
    yield callTools(
      callTool("iac_map", { query: "summary" }),
      callTool("iac_validate", { level: "fast" }),
    );
    return;
  }
  if (!names.includes("read_file")) {
    yield* say(describe(findings, notChecked));
    if (fixes.length === 0 || intent === "validate") {
      yield* say(`\n${HOW_TO_CONNECT}\n`);
      yield stop;
      return;
    }
    yield* say(
      `\n${count(fixes.length, "of these has a safe fix", "of these have a safe fix")}. I read ${count(files.length, "file")} and offer them one by one.\n\n`,
    );
    yield callTools(...files.map((path) => callTool("read_file", { path })));
    return;
  }
  const edits = done.filter(({ name }) => name === "edit_file");
  const isRefused = edits.some(({ result }) => result.startsWith("Permission denied."));
  // Fixes that were made are gone from the findings; those that failed are not tried again.
  const tried = new Set(edits.map(({ path }) => path));
  const next =
    fixes.find(({ file }) => !tried.has(file)) ??
    (edits.some(({ result }) => !isFailure(result))
      ? fixes.find((one) => !failedBefore(one, edits))
      : undefined);
  if (next?.fix !== undefined && !isRefused) {
    yield* say(`${next.file}:${next.line} ${next.fix.title}\n`);
    yield callTools(
      callTool("edit_file", {
        path: next.file,
        old_string: next.fix.oldText,
        new_string: next.fix.newText,
      }),
    );
    return;
  }
  const made = edits.filter(({ result }) => !isFailure(result)).length;
  yield* say(
    `${isRefused ? "Nothing more was changed, since you said no." : `${count(made, "fix was made", "fixes were made")}.`}\n\n${HOW_TO_CONNECT}\n`,
  );
  yield stop;
}

type Done = Stage["done"][number];
const isFailure = (result: string): boolean =>
  result === "" || /^(Permission denied|Invalid|Cannot|Cancelled|No match|Not )/.test(result);
const failedBefore = ({ file }: Finding, edits: readonly Done[]): boolean =>
  edits.some(({ path, result }) => path === file && isFailure(result));

async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const stage = stageOf(request.messages);
  if (stage.intent === "summarise" || stage.intent === "chat") {
    yield* say(
      `${HOW_TO_CONNECT}\n\nWithout one I can check this project: ask me to "review" it, or use /validate and /map.\n`,
    );
    yield stop;
    return;
  }
  if (stage.intent === "explain") {
    if (stage.done.length === 0) {
      yield callTools(callTool("iac_map", { query: "summary" }));
      return;
    }
    yield* say(`${stage.done[0]?.result ?? ""}\n\n${HOW_TO_CONNECT}\n`);
    yield stop;
    return;
  }
  const report = await fastValidate(request.cwd, {}, signal);
  for (const event of review(report.findings, report.notChecked, stage)) {
    if (signal.aborted) return;
    yield event;
  }
}

async function* guarded(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  try {
    yield* stream(request, signal);
  } catch (error) {
    // Only an abort may end the review early; anything else is a fault of this program, said as data like any endpoint's.
    if (signal.aborted) return;
    const message = `The offline reviewer failed: ${error instanceof Error ? error.message : String(error)}`;
    yield {
      type: "failed",
      failure: { kind: "protocol", message: message.slice(0, 300), provider: "offline" },
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
