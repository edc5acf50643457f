// Replays recorded streams through the pure pipeline: bytes → objects → assembled answer, without a network.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createChatAssembler } from "../../src/providers/assemble.ts";
import type { DeltaEvent, Outcome } from "../../src/providers/assembler.ts";
import type { ToolSpec } from "../../src/providers/provider.ts";
import { createBodyReader } from "../../src/providers/stream-body.ts";

const FOLDER = join(import.meta.dir, "../fixtures/chunks");

export type Recording = {
  readonly family: string;
  readonly bytes: Uint8Array;
  /** What must come of it; stands in the second comment line of the file. */
  readonly expected: Replay;
};

export type Replay = {
  readonly text: string;
  readonly thought: string;
  /** Name and arguments. */
  readonly calls: readonly (readonly [string, string])[];
  readonly finish: string;
  /** Input and output tokens. */
  readonly usage: readonly [number, number] | null;
};

export const TOOLS: readonly ToolSpec[] = ["bash", "read_file"].map((name) => ({
  name,
  description: name,
  parameters: { type: "object" },
}));

export const recordings: readonly Recording[] = readdirSync(FOLDER)
  .toSorted()
  .map((file) => {
    const bytes = new Uint8Array(readFileSync(join(FOLDER, file)));
    const line = new TextDecoder().decode(bytes).split(/\r?\n/)[1] ?? "";
    const expected: Replay = JSON.parse(line.replace(": expect ", ""));
    return { family: file.replace(".txt", ""), bytes, expected };
  });

/** Feeds the packets as one stream whose end was reached. */
export function replay(
  packets: readonly Uint8Array[],
  tools = TOOLS,
): Replay & { readonly ids: readonly string[] } {
  let count = 0;
  const assembler = createChatAssembler({ tools, newCallId: () => `made_${(count += 1)}` });
  const body = createBodyReader();
  const events: DeltaEvent[] = [];
  let sawDone = false;
  for (const item of [...packets.flatMap((packet) => body.push(packet)), ...body.end()]) {
    if (item.type === "done") sawDone = true;
    if (item.type === "not_json") return { ...toReplay(events, { type: "broken" }), ids: [] };
    if (item.type === "object" && !sawDone) events.push(...assembler.push(item.value));
  }
  const end = assembler.end(sawDone);
  return { ...toReplay([...events, ...end.events], end.outcome), ids: idsOf(end.outcome) };
}

function toReplay(events: readonly DeltaEvent[], outcome: Outcome): Replay {
  const join = (type: DeltaEvent["type"]) =>
    events.map((event) => (event.type === type && "text" in event ? event.text : "")).join("");
  const isComplete = outcome.type === "complete";
  const { usage } = isComplete ? outcome : {};
  return {
    text: join("text_delta"),
    thought: join("thought_delta"),
    calls: isComplete ? outcome.toolCalls.map((call) => [call.name, call.arguments] as const) : [],
    finish: isComplete ? outcome.finish : "broken",
    usage: usage === undefined ? null : [usage.inputTokens, usage.outputTokens],
  };
}

const idsOf = (outcome: Outcome): readonly string[] =>
  outcome.type === "complete" ? outcome.toolCalls.map(({ id }) => id) : [];

/** The stream of these deltas, one event each, as one packet. */
export function streamOf(...lines: readonly (object | string)[]): Uint8Array {
  const text = lines
    .map((line) => `data: ${typeof line === "string" ? line : JSON.stringify(line)}\n\n`)
    .join("");
  return new TextEncoder().encode(text);
}

/** Cuts bytes at the given places. */
export function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const borders = [
    0,
    ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b),
    bytes.length,
  ];
  return borders.slice(1).map((end, index) => bytes.subarray(borders[index], end));
}
