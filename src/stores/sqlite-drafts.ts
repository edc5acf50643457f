// Drafts as rows: the last checkpoint of what is being streamed.

import type { Database } from "bun:sqlite";
import { toToolCallId } from "../lib/ids.ts";
import type { SessionId, ToolCallId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { mustFindSession } from "./sqlite-rows.ts";
import type { Draft } from "./store.ts";
import { parseDraft } from "./stored-event.ts";

export function checkpoint(
  db: Database,
  id: SessionId,
  draft: Draft | undefined,
  parent: ToolCallId | undefined,
): void {
  const { n } = mustFindSession(db, id);
  if (draft === undefined) {
    db.query("DELETE FROM drafts WHERE session = ?1 AND parent = ?2").run(n, parent ?? "");
    return;
  }
  // As JSON, because text that ends in half a surrogate pair is no text to SQLite.
  db.query(
    "INSERT OR REPLACE INTO drafts (session, parent, message_id, draft) VALUES (?1, ?2, ?3, ?4)",
  ).run(n, parent ?? "", draft.messageId, JSON.stringify(draft));
}

export function readDrafts(
  db: Database,
  id: SessionId,
): readonly (Draft & { readonly parent?: ToolCallId })[] {
  const rows = db
    .query<{ parent: string; draft: string }, [string]>(
      `SELECT parent, draft FROM drafts WHERE session = (SELECT n FROM sessions WHERE id = ?1)
       ORDER BY parent`,
    )
    .all(id);
  return rows.flatMap(({ parent, draft: text }) => {
    const draft = parseDraft(text);
    if (draft === undefined) log.warn(`Session ${id}: a damaged draft is left out`);
    if (draft === undefined) return [];
    return [parent === "" ? draft : { ...draft, parent: toToolCallId(parent) }];
  });
}
