// Where a page of sessions ended, as an opaque word bound to the filter it was made for.

import { parseJson } from "../lib/json.ts";

/** Sessions are listed newest first, equal times by descending id; a page goes on strictly behind this one. */
export type Position = { readonly updatedAt: number; readonly id: string };

/** Before every session. */
export const START: Position = { updatedAt: Number.MAX_SAFE_INTEGER, id: "" };

/** A short fingerprint is enough: it catches mistakes, it guards nothing. */
function fingerprint(cwd: string | undefined): string {
  return Bun.hash(cwd === undefined ? "all" : `cwd ${cwd}`).toString(36);
}

export function encodeCursor(position: Position, cwd: string | undefined): string {
  const content = JSON.stringify([position.updatedAt, position.id, fingerprint(cwd)]);
  return Buffer.from(content).toString("base64url");
}

/** `undefined` for anything that `encodeCursor` did not make for this very filter. */
export function decodeCursor(cursor: string, cwd: string | undefined): Position | undefined {
  const content = parseJson(Buffer.from(cursor, "base64url").toString());
  if (!Array.isArray(content) || content.length !== 3) return undefined;
  const [updatedAt, id, filter] = content;
  if (!Number.isSafeInteger(updatedAt) || typeof id !== "string") return undefined;
  const position = { updatedAt, id };
  // Encoding again refuses what base64 or JSON would have read with tolerance.
  return filter === fingerprint(cwd) && encodeCursor(position, cwd) === cursor
    ? position
    : undefined;
}

/** Negative when `a` is listed before `b`. */
export function compareNewestFirst(a: Position, b: Position): number {
  if (a.updatedAt !== b.updatedAt) return b.updatedAt - a.updatedAt;
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}
