// What a search leaves out: folders nobody wants searched, and what the .gitignore files on the way say, the nearest
// first. https://git-scm.com/docs/gitignore

import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { type IgnoreScope, ignoreScope } from "./ignore-scope.ts";

/** Never walked into, wherever they stand. */
const PRUNED_NAMES = new Set([".git", "node_modules", ".terraform", ".terragrunt-cache"]);
/** Made up by the kernel: endless, or dangerous to read. */
const PSEUDO_FOLDERS = new Set(["/proc", "/sys", "/dev"]);
/** A larger .gitignore is not one. */
const MAX_RULES_LENGTH = 1024 * 1024;
const MATCHER_OPTIONS = { ignorecase: false, allowRelativePaths: true };

type IgnoreLevel = {
  /** Ends with a separator. */
  readonly prefix: string;
  readonly matcher: Ignore;
  readonly scope: IgnoreScope;
};
/** Outermost first. */
export type IgnoreRules = readonly IgnoreLevel[];

export function isPrunedFolder(name: string, path: string): boolean {
  return PRUNED_NAMES.has(name) || PSEUDO_FOLDERS.has(path);
}

/** The rules that hold above `start`, up to the folder that holds `.git`; none when there is no such folder. */
export function rulesAbove(start: string): IgnoreRules {
  const names: string[] = [];
  let folder = start;
  while (!existsSync(join(folder, ".git"))) {
    const parent = dirname(folder);
    if (parent === folder) return [];
    names.unshift(basename(folder));
    folder = parent;
  }
  let rules: IgnoreRules = levelOf(folder, ".git/info/exclude");
  for (const name of names) {
    rules = rulesWithin(folder, rules);
    // Who asks for an ignored folder by name wants it searched.
    if (ignoredIn(folder, rules)(name, true)) return [];
    folder = join(folder, name);
  }
  return rules;
}

/** `rules` for what lies in `folder`, which is not ignored: those of its own .gitignore are the nearest. */
export function rulesWithin(folder: string, rules: IgnoreRules, hasOwn = true): IgnoreRules {
  const settled = rules.map((level) => settle(level, folder));
  return hasOwn ? [...settled, ...levelOf(folder, ".gitignore")] : settled;
}

/** Whether an entry of `folder` is ignored; `rules` are those within that folder. */
export function ignoredIn(
  folder: string,
  rules: IgnoreRules,
): (name: string, isFolder: boolean) => boolean {
  const levels = rules.toReversed().map(({ prefix, matcher, scope }) => {
    const inside = insideOf(prefix, folder);
    return { matcher, inside: inside === "" ? "" : `${inside}/`, mayName: scope.within(inside) };
  });
  return (name, isFolder) => {
    for (const { matcher, inside, mayName } of levels) {
      if (!mayName(name)) continue;
      const { ignored, unignored } = matcher.test(`${inside}${name}${isFolder ? "/" : ""}`);
      if (ignored || unignored) return ignored;
    }
    return false;
  };
}

/** The path of `folder` below a level's, with `/`. */
function insideOf(prefix: string, folder: string): string {
  const inside = folder.slice(prefix.length);
  return sep === "/" ? inside : inside.replaceAll(sep, "/");
}

/** The matcher holds all within an ignored folder for ignored; but a nearer file may have taken the folder back. */
function settle(level: IgnoreLevel, folder: string): IgnoreLevel {
  const inside = insideOf(level.prefix, folder);
  if (inside === "" || !level.matcher.test(`${inside}/`).ignored) return level;
  const literal = inside.replaceAll(/[\\*?[\]!# ]/g, "\\$&");
  const matcher = ignore(MATCHER_OPTIONS)
    .add(level.matcher)
    .add([`!/${literal}/`]);
  return { ...level, matcher };
}

function levelOf(folder: string, name: string): IgnoreLevel[] {
  let text: string;
  try {
    text = readFileSync(join(folder, name), "utf8");
  } catch {
    // No such file, or not readable: no rules from here.
    return [];
  }
  if (text.length > MAX_RULES_LENGTH || text.trim() === "") return [];
  const prefix = folder.endsWith(sep) ? folder : folder + sep;
  return [{ prefix, matcher: ignore(MATCHER_OPTIONS).add(text), scope: ignoreScope(text) }];
}
