// Golden transcripts: both directions of a conversation, ids, times and paths replaced, streamed text joined.

import { expect } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json, Recorded } from "./acp-client.ts";

const FOLDER = join(import.meta.dir, "../golden");

type Row = { readonly from: string; message: Json };

const updateOf = ({ message }: Row): Json | undefined =>
  message["method"] === "session/update"
    ? ((message["params"] as Json)["update"] as Json)
    : undefined;

/** What the clock decides, not the story: live output of a running command, and window use. */
function isTimed(update: Json | undefined): boolean {
  if (update?.["sessionUpdate"] === "usage_update") return true;
  return (
    update?.["sessionUpdate"] === "tool_call_update" &&
    update["status"] === "in_progress" &&
    !("rawInput" in update)
  );
}

/** Chunks of one message that follow each other become one, however they were cut. */
function joinChunks(rows: readonly Row[]): Row[] {
  const joined: Row[] = [];
  for (const row of rows) {
    const update = updateOf(row);
    if (isTimed(update)) continue;
    const before = joined.at(-1);
    const last = before === undefined ? undefined : updateOf(before);
    const isContinued =
      update !== undefined &&
      last !== undefined &&
      String(update["sessionUpdate"]).endsWith("_chunk") &&
      last["sessionUpdate"] === update["sessionUpdate"] &&
      last["messageId"] === update["messageId"];
    if (isContinued) {
      const content = last["content"] as { text: string };
      content.text += (update["content"] as { text: string }).text;
    } else {
      joined.push(structuredClone(row) as Row);
    }
  }
  return joined;
}

/** One line a message; `replacements` are tried in order before the general ones. */
export function toTranscript(
  log: readonly Recorded[],
  replacements: Readonly<Record<string, string>>,
): string {
  const names = new Map<string, string>();
  const counts: Record<string, number> = {};
  const name = (kind: string, value: string): string => {
    const known = names.get(value);
    if (known !== undefined) return known;
    counts[kind] = (counts[kind] ?? 0) + 1;
    const fresh = `<${kind} ${counts[kind]}>`;
    names.set(value, fresh);
    return fresh;
  };
  const lines = joinChunks(
    log.map(({ from, message }) => ({ from, message: structuredClone(message) })),
  ).map((row) => JSON.stringify(row));
  let text = lines.join("\n");
  for (const [value, shown] of Object.entries(replacements)) text = text.replaceAll(value, shown);
  return `${text
    .replaceAll(/sess_[0-9a-f]{32}/g, (id) => name("session", id))
    .replaceAll(/call_[0-9a-f]{32}/g, (id) => name("call", id))
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) =>
      name("message", id),
    )
    .replaceAll(/"availableCommands":\[.*?\]\}/g, '"availableCommands":"<commands>"}')
    .replaceAll(/"usage":\{[^}]*\}/g, '"usage":"<usage>"')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>")}\n`;
}

/** Compares with test/golden/NAME.jsonl; UPDATE_GOLDEN=1 writes it instead. */
export function expectGolden(name: string, transcript: string): void {
  const file = join(FOLDER, `${name}.jsonl`);
  if (process.env["UPDATE_GOLDEN"] === "1" || !existsSync(file)) {
    if (process.env["CI"] !== undefined)
      throw new Error(`There is no golden transcript ${name}; write it with UPDATE_GOLDEN=1`);
    writeFileSync(file, transcript);
  }
  expect(transcript.split("\n")).toEqual(readFileSync(file, "utf8").split("\n"));
}
