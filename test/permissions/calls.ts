// Calls for the permission tests, in a project at /app with nothing on disk.

import type { Access, CommandClass, InnerCommand } from "../../src/conversation/access.ts";
import type { Decision, PolicyContext } from "../../src/permissions/policy.ts";
import { decide } from "../../src/permissions/policy.ts";
import { type PermissionRequest, resolveRequest } from "../../src/permissions/request.ts";
import { parseRules } from "../../src/permissions/rules.ts";

export const ROOT = "/app";

export function context(
  changes: Partial<PolicyContext> = {},
  texts: Parameters<typeof parseRules>[0] = {},
): PolicyContext {
  return {
    mode: "default",
    grants: [],
    roots: [ROOT],
    ...changes,
    rules: changes.rules ?? parseRules(texts).rules,
  };
}

export const pathAt = (path: string, realPath = path) => ({ path, realPath });

export function fileCall(tool: string, path: string, realPath = path): PermissionRequest {
  const type = tool === "write_file" || tool === "edit_file" ? "write" : "read";
  return { tool, access: { type, paths: [pathAt(path, realPath)] } };
}

/** An inner command from its text; `?` stands for a word known only at run time. */
export function inner(
  text: string,
  klass: CommandClass,
  more: Partial<InnerCommand> = {},
): InnerCommand {
  const argv = text.split(" ").map((word) => (word === "?" ? undefined : word));
  const hasScope = klass !== "destroy" && klass !== "unknown";
  const scope = hasScope ? argv.slice(0, 2).filter((word) => word !== undefined) : [];
  return { argv, class: klass, scope, reads: [], writes: [], ...more };
}

const ORDER: readonly CommandClass[] = ["read", "write", "plan", "mutate", "destroy", "unknown"];

export function line(commands: readonly InnerCommand[], cwd = ROOT): Access {
  const worst = commands.map((command) => ORDER.indexOf(command.class));
  return {
    type: "command",
    command: commands.map(({ argv }) => argv.map((word) => word ?? "$X").join(" ")).join("; "),
    cwd: pathAt(cwd),
    analysis: { class: ORDER[Math.max(0, ...worst)] ?? "read", commands, warnings: [] },
  };
}

export async function decideLine(
  commands: readonly InnerCommand[],
  at: PolicyContext = context(),
): Promise<Decision> {
  return decide(await resolveRequest("bash", line(commands)), at);
}
