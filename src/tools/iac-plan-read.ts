// What iac_plan tells without planning: the card of a stored plan, or that of the code against a commit.

import { readFile } from "node:fs/promises";
import type { PlanCard } from "../iac/plan/card.ts";
import { renderCard } from "../iac/plan/render.ts";
import type { JsonObject } from "../lib/json.ts";
import { isInside } from "../lib/path-inside.ts";
import { escapeInvisible } from "../lib/text.ts";
import { cancelled, failed } from "./answers.ts";
import { type CodeDiff, diffCode } from "./plan-diff.ts";
import { storedCard } from "./plan-stored.ts";
import { toAccess, type ToolPath, toToolPath } from "./tool-path.ts";
import type { ToolContext, ToolPlace, ToolResult } from "./tool.ts";

const MAX_PLAN_FILE_BYTES = 256 * 1024 * 1024;

/** `written` as the model gave it; a string is an error text for it. */
export async function openStored(written: string, place: ToolPlace) {
  const path = await toToolPath(written, place);
  if (typeof path === "string") return path.replace(/^path/, "plan_file");
  return {
    title: `Read the plan ${path.shown}`,
    access: { type: "read" as const, paths: [toAccess(path)] },
    locations: [{ path: path.path }],
    execute: () => readStored(path),
  };
}

async function readStored({ realPath, shown }: ToolPath): Promise<ToolResult> {
  let bytes: Uint8Array;
  try {
    if (Bun.file(realPath).size > MAX_PLAN_FILE_BYTES)
      return failed(`plan_file: ${shown} is larger than ${MAX_PLAN_FILE_BYTES} bytes.`);
    bytes = await readFile(realPath);
  } catch (error) {
    return failed(
      `plan_file: ${shown} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
  const card = storedCard(bytes);
  if (typeof card === "string") return failed(`plan_file: ${shown}: ${card}`);
  return cardResult(card, renderCard(card), {});
}

export function cardResult(card: PlanCard, text: string, more: JsonObject): ToolResult {
  return {
    ok: true,
    text,
    content: [{ type: "text", text }],
    rawOutput: { verdict: card.verdict, counts: card.counts, ...more },
  };
}

/** Reads the code of a commit and of the disk; runs no program of the project. */
export function openDiff(base: string, directory: ToolPath) {
  return {
    title: `Compare the code of ${directory.shown} with ${escapeInvisible(base, "")}`,
    access: { type: "read" as const, paths: [toAccess(directory)] },
    execute: async (context: ToolContext) => {
      const compared = await diffFrom(base, directory, context);
      if (context.signal.aborted) return cancelled();
      if (!compared.ok) return failed(`diff: ${compared.why}.`);
      const { card } = compared.diff;
      return cardResult(card, renderCard(card), {});
    },
  };
}

function diffFrom(base: string, { realPath }: ToolPath, context: ToolContext): Promise<CodeDiff> {
  const { signal, isPathDenied } = context;
  const [root = realPath] = context.roots;
  return diffCode(realPath, {
    root: isInside(root, realPath) ? root : realPath,
    base,
    signal,
    ...(isPathDenied === undefined ? {} : { isDenied: isPathDenied }),
  });
}

export async function withoutProgram(
  directory: ToolPath,
  context: ToolContext,
): Promise<ToolResult> {
  const missing = "Neither tofu nor terraform is installed, so nothing was planned.";
  const compared = await diffFrom("HEAD", directory, context);
  if (context.signal.aborted) return cancelled();
  if (!compared.ok)
    return failed(`${missing} A static diff is not possible either: ${compared.why}.`);
  const { card } = compared.diff;
  return cardResult(card, `${missing}\n\n${renderCard(card)}`, {});
}
