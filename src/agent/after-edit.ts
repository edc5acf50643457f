// What an edit broke: after a successful edit of infrastructure code the fast checks run by themselves, and what was
// not there before is told to the model with the edit's result. Bounded in time, and in rounds a turn.

import { isAbsolute, relative, sep } from "node:path";
import { formatFinding, type Finding } from "../iac/findings.ts";
import type { Budget } from "../iac/map/walk.ts";
import { realPathOfDeepest } from "../lib/path-inside.ts";
import { count } from "../lib/text.ts";
import { cacheDirOf, knownSchemas } from "../tools/iac-programs/provider-schemas.ts";
import type { PreparedCall, ToolContext, ToolResult } from "../tools/tool.ts";

/** Edits of one turn that may bring findings back to the model; after that it is told to stop and say so. */
export const MAX_REPAIR_ROUNDS = 4;
const MAX_SHOWN = 20;
/** Milliseconds of work for the look before and the look after together; a machine that is busy elsewhere takes longer. */
const MAX_MS = 1_000;
/** What both looks can read in that time; a project over it is not checked after each edit. */
const BUDGET: Partial<Budget> = {
  maxEntries: 20_000,
  maxFiles: 1_500,
  maxTotalBytes: 1_200_000,
  maxMs: MAX_MS / 2,
};
const CODE = /\.(?:tf|tofu|tf\.json|tofu\.json|tfvars|hcl|ya?ml|json|template)$/i;

/** Taken before an edit runs; `end` adds to its result what the edit brought. Never rejects. */
export type EditWatch = { readonly end: (result: ToolResult) => Promise<ToolResult> };

type WatchContext = Pick<ToolContext, "roots" | "signal" | "isPathDenied" | "settings" | "session">;

/** Counts the rounds of one turn; sub-agents share those of their parent. */
export type AfterEdit = {
  /** `undefined` for calls that write no infrastructure code. Never rejects. */
  readonly watch: (
    call: Pick<PreparedCall, "access" | "kind">,
    context: WatchContext,
  ) => Promise<EditWatch | undefined>;
};

type Look =
  /** `workMs`: processor time. */
  | { readonly type: "seen"; readonly findings: readonly Finding[]; readonly workMs: number }
  | { readonly type: "too_large" }
  | { readonly type: "cancelled" };

type Place = Pick<ToolContext, "signal" | "isPathDenied"> & {
  readonly root: string;
  readonly cacheDir: string;
};

export function createAfterEdit(): AfterEdit {
  let rounds = 0;
  const report = (fresh: readonly Finding[]): string => {
    rounds += 1;
    return reportText(fresh, rounds);
  };
  return {
    watch: async ({ access, kind }, context) => {
      const { roots, signal, isPathDenied } = context;
      if (kind !== "edit" || access.type !== "write" || rounds >= MAX_REPAIR_ROUNDS)
        return undefined;
      const place = await placeOf(
        access.paths.map(({ realPath }) => realPath),
        roots,
      );
      if (place === undefined) return undefined;
      const cacheDir = cacheDirOf(context);
      const where = {
        ...place,
        signal,
        cacheDir,
        ...(isPathDenied === undefined ? {} : { isPathDenied }),
      };
      const before = await look(where);
      return {
        end: async (result) => {
          if (!result.ok || signal.aborted) return result;
          const note = await noteOn(before, where, report);
          return note === undefined ? result : withNote(result, note);
        },
      };
    },
  };
}

/** The root that holds all the files, when one of them may be infrastructure code. */
async function placeOf(
  paths: readonly string[],
  roots: readonly string[],
): Promise<{ readonly root: string } | undefined> {
  if (!paths.some((path) => CODE.test(path))) return undefined;
  for (const given of roots) {
    const root = await realPathOfDeepest(given);
    const isHeld = paths.every((path) => {
      const below = relative(root, path);
      return below !== "" && !isAbsolute(below) && below.split(sep)[0] !== "..";
    });
    if (isHeld) return { root };
  }
  return undefined;
}

async function look({ root, signal, isPathDenied, cacheDir }: Place): Promise<Look> {
  // The rules are loaded with the first edit that they are for.
  const { indexProject } = await import("../iac/map.ts");
  const { fastValidate } = await import("../iac/validate.ts");
  const start = process.cpuUsage();
  try {
    const index = await indexProject(root, signal, {
      budget: BUDGET,
      ...(isPathDenied === undefined ? {} : { isDenied: isPathDenied }),
    });
    if (index.isCut) return { type: "too_large" };
    const openSchema = knownSchemas({ root, cacheDir });
    const { findings } = await fastValidate(root, { index, openSchema }, signal);
    const { user, system } = process.cpuUsage(start);
    return { type: "seen", findings, workMs: (user + system) / 1_000 };
  } catch (error) {
    // Aborting is the one way that the checks reject; anything else is a defect of ours and flies on.
    if (!signal.aborted) throw error;
    return { type: "cancelled" };
  }
}

const TOO_LARGE =
  "The project is too large to be checked after each edit: run iac_validate when the change is complete.";

async function noteOn(
  before: Look,
  place: Place,
  report: (fresh: readonly Finding[]) => string,
): Promise<string | undefined> {
  if (before.type === "cancelled") return undefined;
  if (before.type === "too_large" || before.workMs > MAX_MS / 2) return TOO_LARGE;
  const after = await look(place);
  if (after.type === "too_large") return TOO_LARGE;
  if (after.type === "cancelled") return undefined;
  const fresh = newFindings(before.findings, after.findings).filter(
    ({ severity }) => severity !== "info",
  );
  return fresh.length === 0 ? undefined : report(fresh);
}

/** Lines move with every edit, so they are no part of what a finding is. */
const keyOf = ({ file, severity, code, message }: Finding): string =>
  `${file} ${severity} ${code} ${message.replaceAll(/:\d+(?::\d+)?/g, "")}`;

/** What `after` holds more often than `before`. */
export function newFindings(before: readonly Finding[], after: readonly Finding[]): Finding[] {
  const left = new Map<string, number>();
  for (const finding of before) left.set(keyOf(finding), (left.get(keyOf(finding)) ?? 0) + 1);
  return after.filter((finding) => {
    const key = keyOf(finding);
    const known = left.get(key) ?? 0;
    left.set(key, known - 1);
    return known <= 0;
  });
}

function reportText(fresh: readonly Finding[], round: number): string {
  const lines = fresh.slice(0, MAX_SHOWN).map(formatFinding);
  if (fresh.length > MAX_SHOWN) lines.push(`[${fresh.length - MAX_SHOWN} more]`);
  const next =
    round < MAX_REPAIR_ROUNDS
      ? "Mend what this edit broke, or say why it stays."
      : `This was repair round ${MAX_REPAIR_ROUNDS} of this turn, the last: later edits are not checked by themselves. Stop repairing and tell the user what is still open.`;
  return `The edit brought ${count(fresh.length, "new finding")}:\n${lines.join("\n")}\n${next}`;
}

function withNote(result: ToolResult, note: string): ToolResult {
  return {
    ...result,
    text: `${result.text}\n\n${note}`,
    ...(result.content === undefined
      ? {}
      : { content: [...result.content, { type: "text", text: note }] }),
  };
}
