// Permission rules as the user writes them: `bash(terraform destroy:*)`, `file(**/.env*)`, `web_fetch(docs.example.com)`,
// `mcp__github__*`, `iac_apply(prod/**)`, or a bare tool name. Parsing only; what a rule bites is in path-rules.ts,
// command-rules.ts and policy.ts.

import { homedir } from "node:os";

export type RulePattern =
  /** Words of one inner command; `open` lets further words follow (`:*`). A `*` inside a word matches any text. */
  | { readonly type: "words"; readonly words: readonly string[]; readonly open: boolean }
  /** A path glob, relative to a root or absolute. */
  | { readonly type: "path"; readonly glob: string }
  | { readonly type: "host"; readonly host: string };

export type Rule = {
  /** As written, for messages and the decision's row. */
  readonly text: string;
  /** A tool's name, `file` for all file tools, or a glob over tool names. */
  readonly tool: string;
  readonly pattern?: RulePattern;
};

export type RuleSet = {
  readonly deny: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly allow: readonly Rule[];
  /** Path globs that file tools never write, beside the built-in ones. */
  readonly protect?: readonly string[];
};

export const READ_TOOLS: readonly string[] = ["read_file", "list_files", "glob", "grep"];
export const WRITE_TOOLS: readonly string[] = ["write_file", "edit_file"];
export const isFileTool = (tool: string): boolean =>
  tool === "file" || READ_TOOLS.includes(tool) || WRITE_TOOLS.includes(tool);

export type ParsedRule =
  | { readonly ok: true; readonly rule: Rule }
  | { readonly ok: false; readonly error: string };

const RULE = /^([A-Za-z_*][\w*.-]*)(?:\((.*)\))?$/s;
const WORD = /"([^"]*)"|'([^']*)'|(\S+)/g;
const CHAINING = /&&|\|\||[;|`\n]|\$\(/;
const HOST = /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$|^\*$|^\[?[0-9a-f:.]+\]?$/;

/** Parses one rule; the error names the rule and says how to write it. */
export function parseRule(text: string): ParsedRule {
  const trimmed = text.trim();
  const match = RULE.exec(trimmed);
  const [, tool = "", inside] = match ?? [];
  if (match === null)
    return bad(text, "write a tool name, or tool(pattern) such as bash(terraform destroy:*)");
  if (inside === undefined) return { ok: true, rule: { text: trimmed, tool } };
  if (inside.trim() === "")
    return bad(text, `the pattern is empty; write ${tool} alone to mean every use`);
  const pattern = parsePattern(tool, inside.trim());
  if (typeof pattern === "string") return bad(text, pattern);
  return { ok: true, rule: { text: trimmed, tool, pattern } };
}

function bad(text: string, why: string): ParsedRule {
  return { ok: false, error: `Cannot use permission rule ${JSON.stringify(text)}: ${why}` };
}

/** A pattern, or why there can be none. */
function parsePattern(tool: string, inside: string): RulePattern | string {
  if (tool === "bash") return parseWords(inside);
  if (tool === "web_fetch") return parseHost(inside);
  if (tool === "agent" || tool.startsWith("mcp__") || tool.includes("*"))
    return `${tool} takes no pattern; write its name alone`;
  const glob = inside.replace(/^~(?=\/|$)/, homedir()).replace(/^\.\//, "");
  if (glob.startsWith("../") || glob.includes("/../"))
    return "a path pattern cannot hold `..`; write an absolute path";
  return { type: "path", glob };
}

function parseWords(inside: string): RulePattern | string {
  const open = /(:\*|^\*|\s\*)$/.test(inside);
  const body = open ? inside.replace(/:?\*$/, "") : inside;
  if (CHAINING.test(body))
    return "a bash pattern names one command, without ; | && or $(); write one rule for each";
  const words = [...body.matchAll(WORD)].map((word) => word[1] ?? word[2] ?? word[3] ?? "");
  return { type: "words", words, open };
}

function parseHost(inside: string): RulePattern | string {
  const host = inside.toLowerCase().replace(/\.$/, "");
  if (!HOST.test(host))
    return "a web_fetch pattern is a host, such as docs.example.com or *.example.com";
  return { type: "host", host };
}

type RuleTexts = {
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly allow?: readonly string[];
};

/**
 * Parses the three lists of a config file. A bad rule is left out and named in `errors`: the caller must refuse to go
 * on when a deny rule is among them, since leaving one out allows more.
 */
export function parseRules(texts: RuleTexts): {
  readonly rules: RuleSet;
  readonly errors: readonly string[];
} {
  const errors: string[] = [];
  const parseList = (list: readonly string[] | undefined): Rule[] =>
    (list ?? []).flatMap((text) => {
      const parsed = parseRule(text);
      if (parsed.ok) return [parsed.rule];
      errors.push(parsed.error);
      return [];
    });
  const rules = {
    deny: parseList(texts.deny),
    ask: parseList(texts.ask),
    allow: parseList(texts.allow),
  };
  return { rules, errors };
}

/** `text` against a pattern whose only special character is `*`. */
export function matchesWildcard(pattern: string, text: string): boolean {
  if (!pattern.includes("*")) return pattern === text;
  const source = pattern
    .split(/\*+/)
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  return new RegExp(`^${source}$`, "s").test(text);
}
