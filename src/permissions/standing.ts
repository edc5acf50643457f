// What an "always" answer would stand for, and the words that say exactly that. Pure.

import { basename, dirname, relative } from "node:path";
import type { InnerCommand } from "../conversation/access.ts";
import { isInside } from "../lib/path-inside.ts";
import { uncoveredCommands } from "./command-policy.ts";
import { bareHost } from "./command-rules.ts";
import {
  classOfAccess,
  type Grant,
  type GrantScope,
  higherClass,
  isNeverStanding,
} from "./grants.ts";
import type { PolicyContext, Standing } from "./policy.ts";
import type { PermissionRequest } from "./request.ts";

/** An apply can destroy, and its words do not say so: what one would do says nothing of the next. */
const APPLIES = /^(terraform|tofu|terragrunt|pulumi)$/;

function mustBeAskedEachTime({ scope, class: one }: InnerCommand): boolean {
  const [program] = scope;
  if (program === undefined || isNeverStanding(one)) return true;
  return one === "mutate" && APPLIES.test(program);
}

/** What may be allowed for the session; `undefined` where nothing may. Call it only when the call holds no hazard. */
export function standingFor(
  request: PermissionRequest,
  context: PolicyContext,
): Standing | undefined {
  const { access, tool } = request;
  if (access.type === "command") {
    const commands = uncoveredCommands(access, context);
    if (commands.some(mustBeAskedEachTime)) return undefined;
    return wordsStanding(
      "allow",
      tool,
      commands.map((command) => ({ command, words: command.scope })),
    );
  }
  if (isNeverStanding(classOfAccess(access))) return undefined;
  return accessStanding("allow", request, context.roots);
}

/** What "always reject" would stand for; there is always something. */
export function rejectStanding(request: PermissionRequest, roots: readonly string[]): Standing {
  const { access, tool } = request;
  if (access.type !== "command")
    return accessStanding("reject", request, roots) ?? wholeTool("reject", request);
  const { commands, class: whole } = access.analysis;
  const worst = commands.map((command) => command.class).reduce(higherClass, "read");
  const named = commands
    .filter((command) => command.class === worst)
    .map((command) => ({ command, words: rejectWords(command) }));
  if (whole !== "unknown" && named.length > 0 && named.every(({ words }) => words.length > 0))
    return wordsStanding("reject", tool, named);
  const scope: GrantScope = { type: "line", command: access.command };
  return {
    subject: "this exact command",
    grants: [{ answer: "reject", tool, scope, class: whole }],
  };
}

/** Its scope, or its literal words without flags, where each is known before it runs. */
function rejectWords(command: InnerCommand): readonly string[] {
  if (command.scope.length > 0) return command.scope;
  const words = command.argv.filter((word) => word !== undefined);
  if (words.length !== command.argv.length) return [];
  return words.filter((word) => !word.startsWith("-"));
}

type Named = { readonly command: InnerCommand; readonly words: readonly string[] };

function wordsStanding(answer: Grant["answer"], tool: string, named: readonly Named[]): Standing {
  const subjects = [...new Set(named.map(({ words }) => `\`${words.join(" ")}\``))];
  const grants = named.map(({ command, words }): Grant => ({
    answer,
    tool,
    scope: { type: "words", words },
    class: command.class,
  }));
  return { subject: subjects.join(" and "), grants };
}

function accessStanding(
  answer: Grant["answer"],
  request: PermissionRequest,
  roots: readonly string[],
): Standing | undefined {
  const { access, tool } = request;
  const give = (subject: string, scopes: readonly GrantScope[]): Standing => ({
    subject,
    grants: scopes.map((scope) => ({ answer, tool, scope, class: classOfAccess(access) })),
  });
  switch (access.type) {
    case "write": {
      // One directory: a standing answer for several would not fit what its name can say.
      const directories = [...new Set(access.paths.map(({ realPath }) => dirname(realPath)))];
      const [path] = directories;
      if (path === undefined || directories.length > 1) return undefined;
      const verb = tool === "edit_file" ? "edits" : "writing files";
      return give(`${verb} in ${showDirectory(path, roots)}`, [{ type: "directory", path }]);
    }
    case "read": {
      if (answer === "allow") return undefined;
      const scopes = access.paths.map(
        ({ realPath }) => ({ type: "file", path: realPath }) as const,
      );
      return give(`reading ${access.paths.map(({ path }) => path).join(", ")}`, scopes);
    }
    case "action": {
      if (access.scope === undefined) return undefined;
      const directory = access.directory.realPath;
      const subject = `\`${access.scope}\` in ${showDirectory(directory, roots)}`;
      return give(subject, [{ type: "action", scope: access.scope, directory }]);
    }
    case "fetch": {
      const host = bareHost(access.host);
      return give(`fetching from ${host}`, [{ type: "host", host }]);
    }
    case "mcp":
    case "agent":
      return wholeTool(answer, request);
    default:
      return undefined;
  }
}

function wholeTool(answer: Grant["answer"], { access, tool }: PermissionRequest): Standing {
  const grant: Grant = { answer, tool, scope: { type: "tool" }, class: classOfAccess(access) };
  return { subject: access.type === "agent" ? "sub-agents" : `\`${tool}\``, grants: [grant] };
}

/** `modules/net/` below the first root, the folder's own name for the root, else the whole path. */
function showDirectory(path: string, roots: readonly string[]): string {
  const [cwd] = roots;
  if (cwd === undefined || !isInside(cwd, path)) return `${path}/`;
  return `${relative(cwd, path) || basename(cwd) || "/"}/`;
}
