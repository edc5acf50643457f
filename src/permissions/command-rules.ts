// Word rules against the inner commands of a shell line. A rule that forbids or asks also sees through paths, flags put
// before the verb and words known only at run time; a rule that allows takes the literal words and nothing else.

import type { InnerCommand } from "../conversation/access.ts";
import { matchesWildcard, type Rule, type RulePattern } from "./rules.ts";

/** `maybe`: a word that is known only at run time could make it match. */
export type Bite = "yes" | "maybe" | "no";

type Words = readonly (string | undefined)[];
type WordPattern = Extract<RulePattern, { type: "words" }>;

const programName = (word: string): string => word.replace(/^.*[\\/]/, "").replace(/\.exe$/i, "");
const worse = (a: Bite, b: Bite): Bite =>
  a === "yes" || b === "yes" ? "yes" : a === "maybe" || b === "maybe" ? "maybe" : "no";

/** Positions a match may have reached, each with whether only literal words led there. */
type Reached = ReadonlyMap<number, boolean>;

/** Adds what may be skipped before the next word: flags, a flag's value, words known only at run time. */
function withSkips(reached: Reached, words: Words): Reached {
  const all = new Map(reached);
  const add = (at: number, sure: boolean): void => {
    if (at <= words.length) all.set(at, sure || all.get(at) === true);
  };
  for (let at = 1; at < words.length; at += 1) {
    const sure = all.get(at);
    const word = words[at];
    if (sure === undefined) continue;
    if (word === undefined) add(at + 1, false);
    else if (word.startsWith("-")) {
      add(at + 1, sure);
      add(at + 2, sure);
    }
  }
  return all;
}

/** Matches the rule's words in order; flags, and one word after a flag (its value), may stand between them. */
function matchInOrder(pattern: readonly string[], words: Words): Bite {
  let reached: Reached = new Map([[0, true]]);
  for (const wanted of pattern) {
    const next = new Map<number, boolean>();
    for (const [at, sure] of withSkips(reached, words)) {
      const word = words[at];
      if (at >= words.length) continue;
      const fits =
        word === undefined || matchesWildcard(wanted, at === 0 ? programName(word) : word);
      if (fits) next.set(at + 1, (sure && word !== undefined) || next.get(at + 1) === true);
    }
    reached = next;
  }
  if (reached.size === 0) return "no";
  return [...reached.values()].includes(true) ? "yes" : "maybe";
}

/** Does a denying or asking rule bite this inner command? A rule without `:*` bites longer commands too. */
export function bitesCommand(pattern: WordPattern, command: InnerCommand): Bite {
  const byWords = matchInOrder(pattern.words, command.argv);
  if (byWords === "yes") return "yes";
  const byScope = command.scope.length > 0 ? matchInOrder(pattern.words, command.scope) : "no";
  // What was not understood could hold anything the rule is about.
  const unseen: Bite = command.class === "unknown" ? "maybe" : "no";
  return worse(byWords, worse(byScope, unseen));
}

export type Bitten = { readonly rule: Rule; readonly bite: "yes" | "maybe" };

/** The first bash rule that bites any of the commands for sure, else the first that may. */
export function findBittenCommand(
  rules: readonly Rule[],
  commands: readonly InnerCommand[],
): Bitten | undefined {
  let possible: Bitten | undefined;
  for (const rule of rules) {
    const { pattern } = rule;
    if (!matchesWildcard(rule.tool, "bash")) continue;
    if (pattern === undefined) return { rule, bite: "yes" };
    if (pattern.type !== "words") continue;
    for (const command of commands) {
      const bite = bitesCommand(pattern, command);
      if (bite === "yes") return { rule, bite };
      if (bite === "maybe") possible ??= { rule, bite };
    }
  }
  return possible;
}

/** True when the command's literal words begin with the rule's, or are exactly the rule's when it is not open. */
export function coversCommand(pattern: WordPattern, command: InnerCommand): boolean {
  const { words, open } = pattern;
  if (command.argv.length < words.length || (!open && command.argv.length !== words.length))
    return false;
  return words.every((wanted, at) => {
    const word = command.argv[at];
    return word !== undefined && matchesWildcard(wanted, word);
  });
}

/** Hosts that a command names literally, in a URL or, for curl and wget, bare. */
export function hostsOf(command: InnerCommand): string[] {
  const isFetcher = /^(curl|wget|http|https)$/.test(programName(command.argv[0] ?? ""));
  return command.argv.slice(1).flatMap((word) => {
    const url = /\b[a-z][a-z0-9+.-]*:\/\/(?:[^@/\s]*@)?(\[[^\]]+\]|[^/:\s"'?#]+)/i.exec(word ?? "");
    if (url?.[1] !== undefined) return [url[1].toLowerCase()];
    const bare = isFetcher ? /^([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?:[:/]|$)/i.exec(word ?? "") : null;
    return bare?.[1] === undefined ? [] : [bare[1].toLowerCase()];
  });
}

/** A rule's host against a host: exact, or `*.example.com` for everything below it. */
export function matchesHost(rule: Rule, host: string): boolean {
  if (rule.tool !== "web_fetch" && !matchesWildcard(rule.tool, "web_fetch")) return false;
  if (rule.pattern === undefined) return true;
  if (rule.pattern.type !== "host") return false;
  return matchesWildcard(rule.pattern.host, bareHost(host));
}

/** Lower case, without port, brackets or the root dot. */
export function bareHost(host: string): string {
  const lower = host.toLowerCase();
  const bracketed = /^\[([^\]]+)\]/.exec(lower)?.[1];
  if (bracketed !== undefined) return bracketed;
  const isV6 = lower.split(":").length > 2;
  return (isV6 ? lower : lower.replace(/:\d+$/, "")).replace(/\.$/, "");
}
