// Stored sessions as text for people: a table, Markdown, the permission decisions. Pure.

import type { DurableEvent } from "../conversation/events.ts";
import { escapeInvisible, fence } from "../lib/text.ts";
import type { SessionRecord, StoredEntry } from "../stores/store.ts";

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace("T", " ");
const oneLine = (text: string): string => escapeInvisible(text.replaceAll(/\s+/g, " "), "");

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return `${[head, ...rows].map(line).join("\n")}\n`;
}

export function toSessionTable(records: readonly SessionRecord[], hasMore: boolean): string {
  if (records.length === 0) return "No sessions yet.\n";
  const rows = records.map(({ id, updatedAt, prompts, title, cwd }) => [
    id,
    dateOf(updatedAt),
    String(prompts),
    oneLine(title ?? ""),
    oneLine(cwd),
  ]);
  const more = hasMore
    ? `Only the newest ${records.length} are shown; --cwd narrows the list.\n`
    : "";
  return table(["id", "updated", "prompts", "title", "directory"], rows) + more;
}

export function toPermissionTable(entries: readonly StoredEntry[]): string {
  const rows = entries.flatMap(({ at, event }) =>
    event.type === "permission"
      ? [
          [
            dateOf(at),
            event.outcome,
            event.class ?? "",
            event.tool,
            event.by,
            oneLine(event.subject),
          ],
        ]
      : [],
  );
  return rows.length === 0
    ? "Nothing was decided in this session.\n"
    : table(["when", "outcome", "class", "tool", "by", "what"], rows);
}

/** What a sub-agent said and did stands one level deeper, below the call that started it. */
function toSection({ event, parent }: StoredEntry): string[] {
  const own = sectionOf(event);
  const [heading, ...body] = own;
  if (parent === undefined || heading === undefined || !heading.startsWith("#")) return own;
  const title = heading
    .replace(/^#+ /, "")
    .replace(/^User$/, "Task")
    .replace(/^Agent$/, "Answer");
  return [`#### Sub-agent: ${title}`, ...body];
}

function sectionOf(event: DurableEvent): string[] {
  switch (event.type) {
    case "user_message":
      return [
        "## User",
        event.blocks
          .map((block) => (block.type === "text" ? block.text : `[${block.uri}]`))
          .join("\n\n"),
      ];
    case "assistant_message":
      return event.text === "" ? [] : ["## Agent", event.text];
    case "tool_call":
      return [`### ${oneLine(event.title)}`];
    case "tool_result":
      return [`${event.status}:`, fence(event.text)];
    case "compaction":
      return ["## Summary of what came before, as the model was told it", event.summary];
    default:
      return [];
  }
}

export function toMarkdown(
  { id, title, cwd, createdAt }: SessionRecord,
  entries: readonly StoredEntry[],
): string {
  const head = [`# ${title ?? id}`, `Session ${id}, ${cwd}, ${dateOf(createdAt)} UTC`];
  return `${[...head, ...entries.flatMap(toSection)].join("\n\n")}\n`;
}
