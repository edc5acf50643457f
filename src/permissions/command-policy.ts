// The part of the decision that is about shell lines: which of their commands and files a rule forbids, what makes the
// question unavoidable, and whether every inner command is already covered. Pure.

import type { Access, CommandClass, InnerCommand, PathAccess } from "../conversation/access.ts";
import { isInside } from "../lib/path-inside.ts";
import { coversCommand, findBittenCommand, hostsOf, matchesHost } from "./command-rules.ts";
import { isCommandGranted, isNeverStanding } from "./grants.ts";
import { findBitingRule, readableRoots, type Touch } from "./path-rules.ts";
import type { PolicyContext } from "./policy.ts";
import type { CommandPaths, NamedPath, PermissionRequest } from "./request.ts";
import { isFileTool, type Rule } from "./rules.ts";
import { isOwnSettings, isSecretLooking, protectedInstead } from "./secret-paths.ts";

export type CommandAccess = Extract<Access, { type: "command" }>;
type Shown = { readonly command: InnerCommand; readonly paths: CommandPaths };

/** Programs that look at names, not at content. */
const NAME_ONLY =
  /^(ls|ll|stat|du|find|tree|test|\[|realpath|readlink|dirname|basename|cd|pushd|mkdir|touch)$/;
/** Programs whose words are data: one known only at run time opens no file. */
const WORDS_ARE_DATA =
  /^(echo|printf|test|\[|\[\[|true|false|:|date|pwd|basename|dirname|seq|sleep|which|type|exit|return)$/;
/** IaC programs read these as their own input and do not print them. */
const OWN_INPUT: readonly { readonly program: RegExp; readonly path: RegExp }[] = [
  { program: /^(terraform|tofu|terragrunt)$/, path: /\.tfvars(\.json)?$|\.tfplan$|(^|\/)tfplan$/i },
  { program: /^(kubectl|oc|helm|kustomize)$/, path: /kubeconfig|\.kube\/config$/i },
];

const programOf = (command: InnerCommand): string =>
  (command.argv[0] ?? "").replace(/^.*[\\/]/, "");
const showCommand = (command: InnerCommand): string =>
  command.argv.map((word) => word ?? "…").join(" ");

/** Each inner command beside the files it names; without a lookup nothing is known of them. */
function shownCommands(request: PermissionRequest, access: CommandAccess): Shown[] {
  return access.analysis.commands.map((command, at) => ({
    command,
    paths: request.commandPaths?.[at] ?? {
      reads: [],
      writes: [],
      places: [],
      words: [],
      ...(command.reads.length + command.writes.length === 0
        ? {}
        : { unresolved: "its files were not looked up" }),
    },
  }));
}

const isCatchAll = (rule: Rule): boolean =>
  rule.pattern?.type !== "path" || /^[*/]+$/.test(rule.pattern.glob);

function findFileRule(
  rules: readonly Rule[],
  { paths }: Shown,
  roots: readonly string[],
): Rule | undefined {
  const first = (list: readonly Rule[], how: Touch["how"], among: CommandPaths["words"]) =>
    among
      .map((path) => findBitingRule(list, { tool: "bash", how }, path, roots))
      .find((rule) => rule !== undefined);
  const precise = rules.filter((rule) => !isCatchAll(rule));
  return (
    first(rules, "read", paths.reads) ??
    first(rules, "write", paths.writes) ??
    first(precise, "read", paths.words) ??
    first(precise, "write", paths.words)
  );
}

/** The rule of a denying or asking list that bites the line for sure, by its words, files or hosts. */
export function findLineRule(
  rules: readonly Rule[],
  request: PermissionRequest,
  access: CommandAccess,
  roots: readonly string[],
): Rule | undefined {
  const bitten = findBittenCommand(rules, access.analysis.commands);
  if (bitten?.bite === "yes") return bitten.rule;
  for (const shown of shownCommands(request, access)) {
    const fileRule = findFileRule(rules, shown, roots);
    if (fileRule !== undefined) return fileRule;
    const hosts = hostsOf(shown.command);
    const hostRule = rules.find(
      (rule) => rule.tool !== "*" && hosts.some((host) => matchesHost(rule, host)),
    );
    if (hostRule !== undefined) return hostRule;
  }
  return undefined;
}

/** Classes that a read-only session refuses. */
export const changes = (value: CommandClass): boolean => value !== "read" && value !== "plan";

/** Why plan mode refuses the line; `undefined` when it only reads or plans. */
export function whyNotReadOnly(access: CommandAccess): string | undefined {
  const { commands } = access.analysis;
  const worst = commands.find((command) => changes(command.class));
  if (worst !== undefined) return `\`${showCommand(worst)}\` is of class ${worst.class}`;
  if (changes(access.analysis.class)) return `the line is of class ${access.analysis.class}`;
  const writer = commands.find((command) =>
    command.writes.some((path) => !path.startsWith("/dev/") && path !== "-"),
  );
  return writer === undefined ? undefined : `\`${showCommand(writer)}\` writes a file`;
}

/** Why the line must be asked about whatever the mode and the grants say; empty when nothing is unusual. */
export function commandHazards(
  request: PermissionRequest,
  access: CommandAccess,
  context: PolicyContext,
): string[] {
  const { roots, rules } = context;
  const found: string[] = [];
  const { commands, class: whole } = access.analysis;
  for (const command of commands) {
    if (!isNeverStanding(command.class)) continue;
    const why = command.reason === undefined ? "" : `: ${command.reason}`;
    found.push(`\`${showCommand(command)}\` is of class ${command.class}${why}`);
  }
  if (found.length === 0 && isNeverStanding(whole)) found.push(`the command is of class ${whole}`);
  if (!roots.some((root) => isInside(root, access.cwd.realPath)))
    found.push(`it runs in ${access.cwd.realPath}, outside the project`);
  const possible = findBittenCommand(rules.deny, commands);
  if (possible !== undefined)
    found.push(`it may be what the rule deny ${possible.rule.text} forbids`);
  for (const shown of shownCommands(request, access)) found.push(...fileHazards(shown, context));
  return [...new Set(found)];
}

function fileHazards({ command, paths }: Shown, context: PolicyContext): string[] {
  const { roots, rules } = context;
  const program = programOf(command);
  const isOutside = (path: PathAccess, of: readonly string[]): boolean =>
    !of.some((root) => isInside(root, path.realPath));
  const isExempt = (path: NamedPath): boolean =>
    NAME_ONLY.test(program) ||
    OWN_INPUT.some((own) => own.program.test(program) && own.path.test(path.path));
  const hidesFiles = rules.deny.some((rule) => isFileTool(rule.tool));
  const found: string[] = [];
  if (paths.unresolved !== undefined)
    found.push(`\`${showCommand(command)}\`: ${paths.unresolved}`);
  // Whatever its class: the missing word may name a file anywhere, or a secret.
  if (command.argv.includes(undefined) && !WORDS_ARE_DATA.test(program))
    found.push(`what \`${showCommand(command)}\` touches is known only at run time`);
  for (const place of paths.places)
    if (isOutside(place, roots)) found.push(`works in ${place.realPath}, outside the project`);
  for (const path of paths.reads) {
    if (isOutside(path, readableRoots(context)))
      found.push(`reads ${path.realPath}, outside the project`);
    else if (!isExempt(path) && [path.path, path.realPath].some(isSecretLooking))
      found.push(`reads ${path.path}, which looks like a secret`);
    else if (path.isDirectory && hidesFiles && !NAME_ONLY.test(program))
      found.push(`reads all of ${path.path}, where denied files may be`);
  }
  for (const path of paths.writes) {
    if (isOutside(path, roots)) found.push(`writes ${path.realPath}, outside the project`);
    const own = [path.path, path.realPath];
    if (own.some((one) => protectedInstead(one) !== undefined))
      found.push(`writes ${path.path}, which only its own program should write`);
    else if (own.some(isOwnSettings)) found.push(`writes ${path.path}, settings of this program`);
  }
  return found;
}

/** The inner commands that need an answer: neither reading, nor allowed by a rule, nor granted. */
export function uncoveredCommands(
  access: CommandAccess,
  context: PolicyContext,
): readonly InnerCommand[] {
  return access.analysis.commands.filter(
    (command) =>
      command.class !== "read" &&
      (isNeverStanding(command.class) ||
        !(
          isAllowedByRule(context.rules.allow, command) ||
          isCommandGranted(context.grants, "bash", command)
        )),
  );
}

function isAllowedByRule(allow: readonly Rule[], command: InnerCommand): boolean {
  return allow.some(
    ({ tool, pattern }) =>
      tool === "bash" &&
      (pattern === undefined || (pattern.type === "words" && coversCommand(pattern, command))),
  );
}
