// Stored sessions as text for people: a table, Markdown, the permission decisions. Pure.

import type { DurableEvent } from "../conversation/events.ts";
import { count, escapeInvisible, fence } from "../lib/text.ts";
import type { SessionRecord, StoredEntry } from "../stores/store.ts";
import { toTable } from "./table.ts";
import { cutEnd, cutStart } from "./width.ts";

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace("T", " ");
const oneLine = (text: string): string => escapeInvisible(text.replaceAll(/\s+/g, " "), "");

const HEAD = ["id", "updated", "prompts", "title", "directory"];
/** Below this a row does not hold id, times, title and directory; two lines do. Terminal columns. */
const ONE_LINE_COLUMNS = 100;
const GAP = "  ";

/** Columns for titles out of `free`: half of it, and what the directories leave. */
const titleShare = (free: number, titles: number, directories: number): number =>
  Math.min(titles, Math.max(Math.floor(free / 2), free - directories));

function toRow({ id, updatedAt, prompts, title, cwd }: SessionRecord): readonly string[] {
  return [id, dateOf(updatedAt), String(prompts), oneLine(title ?? ""), oneLine(cwd)];
}

/** Two lines a session, each within `columns`. */
function toNarrow(record: SessionRecord, columns: number): string {
  const [id = "", updated = "", , title = "", directory = ""] = toRow(record);
  const free = columns - 2 * GAP.length;
  const titleColumns = titleShare(free, Bun.stringWidth(title), Bun.stringWidth(directory));
  const first = [id, updated, count(record.prompts, "prompt")].join(GAP);
  const second = [cutEnd(title, titleColumns), cutStart(directory, free - titleColumns)];
  return `${cutEnd(first, columns)}\n${GAP}${second.join(GAP)}\n`;
}

function fitRows(records: readonly SessionRecord[], columns: number): string {
  if (columns < ONE_LINE_COLUMNS)
    return records.map((record) => toNarrow(record, columns)).join("");
  const rows = records.map(toRow);
  const [id = 0, updated = 0, prompts = 0, titles = 0, directories = 0] = HEAD.map((_, column) =>
    Math.max(...[HEAD, ...rows].map((row) => Bun.stringWidth(row[column] ?? ""))),
  );
  const free = columns - id - updated - prompts - (HEAD.length - 1) * GAP.length;
  const titleColumns = titleShare(free, titles, directories);
  return toTable([
    HEAD,
    ...rows.map((row) => [
      ...row.slice(0, 3),
      cutEnd(row[3] ?? "", titleColumns),
      cutStart(row[4] ?? "", free - titleColumns),
    ]),
  ]);
}

/** The sessions for a terminal of `columns`; without it (a pipe) one whole line each. */
export function toSessionTable(
  records: readonly SessionRecord[],
  hasMore: boolean,
  columns?: number,
): string {
  if (records.length === 0)
    return 'No sessions yet. iac-code run "…" starts one, and so does every editor.\n';
  const more = hasMore
    ? `Only the newest ${records.length} are shown; --cwd narrows the list.\n`
    : "";
  const table =
    columns === undefined ? toTable([HEAD, ...records.map(toRow)]) : fitRows(records, columns);
  return table + more;
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
    : toTable([["when", "outcome", "class", "tool", "by", "what"], ...rows]);
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
