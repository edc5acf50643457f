// The record of applies: one JSON line each, appended to a private file of the session. Nothing here is ever rewritten.

import { closeSync, openSync, writeSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import type { Counts } from "../iac/plan/card.ts";
import { log } from "../lib/log.ts";
import type { StoredPlan, ToolSession } from "./tool-session.ts";

const AUDIT_FILE = "audit.jsonl";

type ApplyResult =
  | "applied"
  | "failed"
  /** Cancelled, and asked to stop. */
  | "interrupted"
  /** How a stopped apply ended. */
  | "stopped"
  | "not_started";

type AuditRow = {
  /** ISO 8601. */
  readonly time: string;
  readonly planId: string;
  /** Who ran it, where. */
  readonly user: string;
  readonly host: string;
  readonly directory: string;
  readonly workspace: string;
  readonly backend?: string;
  readonly verdict: string;
  readonly counts: Counts;
  readonly result: ApplyResult;
  /** Changes that were seen to end well and badly. */
  readonly done: number;
  readonly failed: number;
  readonly detail?: string;
};

/** Never throws: an apply that happened is told even where its record cannot be written, and the log says so. */
export function recordApply(
  session: ToolSession,
  { planId, request, workspace, card }: StoredPlan,
  outcome: Pick<AuditRow, "result" | "done" | "failed" | "detail">,
): void {
  const row: AuditRow = {
    time: new Date().toISOString(),
    planId,
    user: userName(),
    host: hostname(),
    directory: request.directory.realPath,
    workspace,
    ...(card.place.backend === undefined ? {} : { backend: card.place.backend }),
    verdict: card.verdict,
    counts: card.counts,
    ...outcome,
  };
  try {
    const file = openSync(join(session.outputDir, AUDIT_FILE), "a", 0o600);
    try {
      writeSync(file, `${JSON.stringify(row)}\n`);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    log.error("The record of an apply could not be written", error);
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return String(process.getuid?.() ?? "unknown");
  }
}
