// Standing answers of this session: what "always" was given for, and whether a call is covered by one. Kept in memory
// with the session, never across sessions.

import type { Access, CommandClass, InnerCommand } from "../conversation/access.ts";
import { COMMAND_CLASSES } from "../conversation/access.ts";
import { isInside } from "../lib/path-inside.ts";
import { bareHost, bitesCommand } from "./command-rules.ts";

export type GrantScope =
  /** The first words of an inner command. */
  | { readonly type: "words"; readonly words: readonly string[] }
  /** A whole shell line that has no other scope; only ever rejected. */
  | { readonly type: "line"; readonly command: string }
  /** A real directory and what is below it. */
  | { readonly type: "directory"; readonly path: string }
  /** One real path. */
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "action"; readonly scope: string; readonly directory: string }
  | { readonly type: "host"; readonly host: string }
  /** Every use of the tool. */
  | { readonly type: "tool" };

export type Grant = {
  readonly answer: "allow" | "reject";
  readonly tool: string;
  readonly scope: GrantScope;
  /** The class it was given for; it never covers a higher one. */
  readonly class: CommandClass;
};

const rank = (value: CommandClass): number => COMMAND_CLASSES.indexOf(value);

/** The higher of two classes. */
export const higherClass = (a: CommandClass, b: CommandClass): CommandClass =>
  rank(a) >= rank(b) ? a : b;

/** True when nothing may stand for this class beyond one call. */
export const isNeverStanding = (value: CommandClass): boolean =>
  value === "destroy" || value === "unknown";

function allowing(grants: readonly Grant[], tool: string, most: CommandClass): Grant[] {
  if (isNeverStanding(most)) return [];
  return grants.filter(
    (grant) => grant.answer === "allow" && grant.tool === tool && rank(grant.class) >= rank(most),
  );
}

const startsWith = (words: readonly (string | undefined)[], head: readonly string[]): boolean =>
  head.length > 0 && head.every((word, at) => words[at] === word);

/** True when a grant covers this inner command: same first words, and no higher class. */
export function isCommandGranted(
  grants: readonly Grant[],
  tool: string,
  command: InnerCommand,
): boolean {
  return allowing(grants, tool, command.class).some(
    ({ scope }) => scope.type === "words" && startsWith(command.scope, scope.words),
  );
}

/** True when a grant covers a whole access other than a command. */
export function isAccessGranted(grants: readonly Grant[], tool: string, access: Access): boolean {
  const scopes = allowing(grants, tool, classOfAccess(access)).map(({ scope }) => scope);
  return scopes.some((scope) => {
    if (access.type === "write" && scope.type === "directory")
      return access.paths.every(({ realPath }) => isInside(scope.path, realPath));
    return isSameSubject(scope, access);
  });
}

/** The class that an access counts as. */
export function classOfAccess(access: Access): CommandClass {
  if (access.type === "command") return access.analysis.class;
  if (access.type === "action") return access.class;
  if (access.type === "write") return "write";
  // What an MCP tool does cannot be known, yet a person may allow it for the session: it stands below `destroy`.
  return access.type === "mcp" || access.type === "agent" ? "mutate" : "read";
}

function isSameSubject(scope: GrantScope, access: Access): boolean {
  switch (scope.type) {
    case "action":
      return (
        access.type === "action" &&
        access.scope === scope.scope &&
        access.directory.realPath === scope.directory
      );
    case "host":
      return access.type === "fetch" && bareHost(access.host) === scope.host;
    case "tool":
      return access.type === "mcp" || access.type === "agent";
    default:
      return false;
  }
}

/** The standing rejection that covers this access, whatever its class is by now. */
export function findRejection(
  grants: readonly Grant[],
  tool: string,
  access: Access,
): Grant | undefined {
  return grants.find(
    (grant) => grant.answer === "reject" && grant.tool === tool && isRejected(grant.scope, access),
  );
}

function isRejected(scope: GrantScope, access: Access): boolean {
  if (access.type === "command") {
    if (scope.type === "line") return scope.command === access.command;
    if (scope.type !== "words") return false;
    const pattern = { type: "words", words: scope.words, open: true } as const;
    // An unknown command is asked about anyway; only a sure match may stand for the person's "no".
    return access.analysis.commands.some((command) => bitesCommand(pattern, command) === "yes");
  }
  if (access.type === "read" || access.type === "write")
    return access.paths.some(
      ({ realPath }) =>
        (scope.type === "file" && scope.path === realPath) ||
        (scope.type === "directory" && isInside(scope.path, realPath)),
    );
  return isSameSubject(scope, access);
}
