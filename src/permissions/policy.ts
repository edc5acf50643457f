// The one decision about every tool call: allow, deny or ask. Pure. Whoever asks and runs lives elsewhere; sub-agents,
// links in prompts and MCP tools come through here like everything else.

import type { Access, CommandClass, PathAccess } from "../conversation/access.ts";
import { isInside } from "../lib/path-inside.ts";
import {
  changes,
  commandHazards,
  findLineRule,
  uncoveredCommands,
  whyNotReadOnly,
} from "./command-policy.ts";
import { bareHost, matchesHost } from "./command-rules.ts";
import { findRejection, type Grant, isAccessGranted, isNeverStanding } from "./grants.ts";
import type { ModeId } from "./modes.ts";
import { findAllowingRule, findBitingRule, matchesAnyGlob, readableRoots } from "./path-rules.ts";
import type { PermissionRequest } from "./request.ts";
import { matchesWildcard, type Rule, type RuleSet } from "./rules.ts";
import { isOwnSettings, isSecretLooking, protectedInstead } from "./secret-paths.ts";
import { rejectStanding, standingFor } from "./standing.ts";

export type PolicyContext = {
  readonly mode: ModeId;
  readonly rules: RuleSet;
  readonly grants: readonly Grant[];
  /** Real paths; the first is the session's cwd. */
  readonly roots: readonly string[];
  /** Real folders beside the roots that may be read unasked: the session's own command outputs. */
  readonly readable?: readonly string[];
};

/** `by` names the rule, mode, answer or default that decided, for the stored row. */
export type Decision =
  | { readonly decision: "allow"; readonly by: string }
  | { readonly decision: "deny"; readonly by: string; readonly reason: string }
  | Question;

export type Question = {
  readonly decision: "ask";
  readonly by: string;
  /** What a person should know before answering. */
  readonly reasons: readonly string[];
  /** What "always allow" would stand for; absent where it must not be offered. */
  readonly always?: Standing;
  readonly reject: Standing;
};

/** What an "always" answer stands for; `subject` completes "Always allow … in this session". */
export type Standing = { readonly subject: string; readonly grants: readonly Grant[] };

/** What /undo asks as: a person starts it, and sees the diff before it happens whatever the mode. */
const UNDO = "undo";
const SEARCHED_BY_NAME = new Set(["list_files", "glob"]);

/** Deny before ask before allow; a denial holds in every mode. */
export function decide(request: PermissionRequest, context: PolicyContext): Decision {
  const denied = findDenial(request, context);
  if (denied !== undefined) return { decision: "deny", ...denied };
  const asking = findRule("ask", request, context);
  const reasons = findHazards(request, context);
  const ask = (by: string, always?: Standing): Question => ({
    decision: "ask",
    by,
    reasons,
    ...(always === undefined ? {} : { always }),
    reject: rejectStanding(request, context.roots),
  });
  // An ask rule stays: an answer for the session would never be looked at.
  if (asking !== undefined) return ask(`rule ask ${asking.text}`);
  if (reasons.length > 0) return ask("default");
  const by = findPermit(request, context);
  if (by !== undefined) return { decision: "allow", by };
  return ask("default", standingFor(request, context));
}

type Denial = { readonly by: string; readonly reason: string };

function findDenial(request: PermissionRequest, context: PolicyContext): Denial | undefined {
  const { access, tool } = request;
  const rule = findRule("deny", request, context);
  if (rule !== undefined)
    return { by: `rule deny ${rule.text}`, reason: `The rule ${rule.text} forbids it.` };
  if (findRejection(context.grants, tool, access) !== undefined)
    return { by: "answer reject_always", reason: "The user rejected this for the whole session." };
  if (access.type === "write") {
    for (const path of access.paths) {
      const instead = insteadOfWriting(path, context);
      if (instead !== undefined)
        return {
          by: "protected path",
          reason: `${path.path} is never written by file tools: ${instead}.`,
        };
    }
  }
  if (context.mode !== "plan") return undefined;
  const why = whyRefusedInPlanMode(access);
  if (why === undefined) return undefined;
  return { by: "mode plan", reason: `This session only plans (mode plan), and ${why}.` };
}

function insteadOfWriting(path: PathAccess, { rules, roots }: PolicyContext): string | undefined {
  const built = protectedInstead(path.path) ?? protectedInstead(path.realPath);
  if (built !== undefined) return built;
  return matchesAnyGlob(rules.protect ?? [], path, roots)
    ? "the project's settings protect it; ask the user to change it"
    : undefined;
}

function whyRefusedInPlanMode(access: Access): string | undefined {
  switch (access.type) {
    case "write":
      return "this writes a file";
    case "command":
      return whyNotReadOnly(access);
    case "action":
      return changes(access.class) ? `${access.subject} is of class ${access.class}` : undefined;
    case "mcp":
      // The hint is not trusted: it only decides between a refusal and a question.
      return access.readOnlyHint ? undefined : "this MCP tool does not say that it only reads";
    default:
      return undefined;
  }
}

/** The first rule of a denying or asking list that bites this call, by any way in. */
function findRule(
  list: "deny" | "ask",
  request: PermissionRequest,
  { rules, roots }: PolicyContext,
): Rule | undefined {
  const all = rules[list];
  const { access, tool } = request;
  const names = access.type === "mcp" ? [tool, `mcp__${access.server}__${access.tool}`] : [tool];
  const byName = all.find(
    (rule) => rule.pattern === undefined && names.some((name) => matchesWildcard(rule.tool, name)),
  );
  if (byName !== undefined) return byName;
  switch (access.type) {
    case "read":
    case "write":
      return firstBiting(all, access.paths, { tool, how: access.type }, roots);
    case "action":
      return firstBiting(all, [access.directory], { tool, how: "read" }, roots);
    case "command":
      return findLineRule(all, request, access, roots);
    case "fetch":
      return all.find((rule) => matchesHost(rule, access.host));
    default:
      return undefined;
  }
}

function firstBiting(
  rules: readonly Rule[],
  paths: readonly PathAccess[],
  touch: { readonly tool: string; readonly how: "read" | "write" },
  roots: readonly string[],
): Rule | undefined {
  return paths
    .map((path) => findBitingRule(rules, touch, path, roots))
    .find((rule) => rule !== undefined);
}

/** Why the call must be asked about whatever the mode and the grants say. */
function findHazards(request: PermissionRequest, context: PolicyContext): string[] {
  const { access } = request;
  switch (access.type) {
    case "read":
    case "write":
      return [
        ...(request.tool === UNDO ? ["it puts back what the files held before the last turn"] : []),
        ...access.paths.flatMap((path) => pathHazards(path, access.type, request, context)),
      ];
    case "command":
      return commandHazards(request, access, context);
    case "action":
      return [
        ...(isNeverStanding(access.class) ? [`${access.subject} is of class ${access.class}`] : []),
        ...outside(access.directory, "works in", context.roots),
      ];
    default:
      return [];
  }
}

function outside(path: PathAccess, verb: string, roots: readonly string[]): string[] {
  return roots.some((root) => isInside(root, path.realPath))
    ? []
    : [`${verb} ${path.realPath}, outside the project`];
}

function pathHazards(
  path: PathAccess,
  how: "read" | "write",
  { tool }: PermissionRequest,
  context: PolicyContext,
): string[] {
  const { rules, roots } = context;
  const names = [path.path, path.realPath];
  if (how === "write" && names.some(isOwnSettings))
    return [`${path.path} holds settings of this program`];
  // A rule that names the path was written for it; a bare tool name says nothing about where.
  const named = rules.allow.filter((rule) => rule.pattern !== undefined);
  if (findAllowingRule(named, tool, path, roots) !== undefined) return [];
  const found =
    how === "read"
      ? outside(path, "reads", readableRoots(context))
      : outside(path, "writes", roots);
  if (how === "read" && !SEARCHED_BY_NAME.has(tool) && names.some(isSecretLooking))
    found.push(`${path.path} looks like a secret`);
  return found;
}

/** What lets the call pass unasked, by rule, grant, mode or default; hazards were looked at before. */
function findPermit(request: PermissionRequest, context: PolicyContext): string | undefined {
  const { access, tool } = request;
  const { mode, rules, grants, roots } = context;
  if (access.type === "none") return "default";
  if (access.type === "command") {
    const open = uncoveredCommands(access, context);
    if (open.length === 0)
      return access.analysis.commands.every(({ class: one }) => one === "read")
        ? "default read"
        : "rule or grant for every command";
    return mode === "auto" ? "mode auto" : undefined;
  }
  const rule = findAllowRule(request, rules.allow, roots);
  if (rule !== undefined) return `rule allow ${rule.text}`;
  if (isAccessGranted(grants, tool, access)) return "answer allow_always";
  if (access.type === "read" || isQuietAction(access)) return "default read";
  if (access.type === "fetch" && !looksPrivate(access.host)) return "default public host";
  if (access.type === "write" && mode === "accept_edits") return "mode accept_edits";
  return mode === "auto" ? "mode auto" : undefined;
}

const isQuietAction = (access: Access): boolean =>
  access.type === "action" && access.class === ("read" satisfies CommandClass);

function findAllowRule(
  { access, tool }: PermissionRequest,
  allow: readonly Rule[],
  roots: readonly string[],
): Rule | undefined {
  switch (access.type) {
    case "read":
    case "write": {
      const found = access.paths.map((path) => findAllowingRule(allow, tool, path, roots));
      return found.every((rule) => rule !== undefined) ? found[0] : undefined;
    }
    case "action":
      return findAllowingRule(allow, tool, access.directory, roots);
    case "fetch":
      return allow.find((rule) => rule.tool === "web_fetch" && matchesHost(rule, access.host));
    case "mcp": {
      const name = `mcp__${access.server}__${access.tool}`;
      return allow.find(
        (rule) =>
          rule.pattern === undefined &&
          rule.tool.startsWith("mcp__") &&
          matchesWildcard(rule.tool, name),
      );
    }
    default:
      return allow.find((rule) => rule.pattern === undefined && rule.tool === tool);
  }
}

/** By name alone; the address is checked where the connection is made. */
function looksPrivate(host: string): boolean {
  const name = bareHost(host);
  return (
    !name.includes(".") ||
    name.includes(":") ||
    /\.(local|internal|localhost|lan|home|corp)$/.test(name) ||
    /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(
      name,
    )
  );
}
