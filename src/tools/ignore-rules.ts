// What a search leaves out: folders nobody wants searched, and what the .gitignore files on the way say, the nearest
// first. https://git-scm.com/docs/gitignore

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import ignore, { type Ignore } from "ignore";

/** Never walked into, wherever they stand. */
const PRUNED_NAMES = new Set([".git", "node_modules", ".terraform", ".terragrunt-cache"]);
/** Made up by the kernel: endless, or dangerous to read. */
const PSEUDO_FOLDERS = new Set(["/proc", "/sys", "/dev"]);
/** A larger .gitignore is not one. */
const MAX_RULES_LENGTH = 1024 * 1024;

type IgnoreLevel = {
  /** Ends with a separator. */
  readonly prefix: string;
  readonly matcher: Ignore;
};
/** Outermost first. */
export type IgnoreRules = readonly IgnoreLevel[];

export function isPrunedFolder(name: string, path: string): boolean {
  return PRUNED_NAMES.has(name) || PSEUDO_FOLDERS.has(path);
}

/** The rules that hold above `start`, up to the folder that holds `.git`; none when there is no such folder. */
export function rulesAbove(start: string): IgnoreRules {
  const levels: IgnoreLevel[] = [];
  let folder = start;
  while (!existsSync(join(folder, ".git"))) {
    const parent = dirname(folder);
    if (parent === folder) return [];
    levels.push(...levelOf(parent, ".gitignore"));
    folder = parent;
  }
  const rules = [...levelOf(folder, ".git/info/exclude"), ...levels.toReversed()];
  // Who asks for an ignored folder by name wants it searched.
  return isIgnored(rules, start, true) ? [] : rules;
}

/** `rules` with those of `folder`'s own .gitignore. */
export function rulesWithin(folder: string, rules: IgnoreRules): IgnoreRules {
  return [...rules, ...levelOf(folder, ".gitignore")];
}

export function isIgnored(rules: IgnoreRules, path: string, isFolder: boolean): boolean {
  for (let i = rules.length - 1; i >= 0; i--) {
    const level = rules[i];
    if (!level || !path.startsWith(level.prefix)) continue;
    const inside = path.slice(level.prefix.length);
    const name = sep === "/" ? inside : inside.replaceAll(sep, "/");
    if (name === "") continue;
    const { ignored, unignored } = level.matcher.test(isFolder ? `${name}/` : name);
    if (ignored || unignored) return ignored;
  }
  return false;
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
  const matcher = ignore({ ignorecase: false, allowRelativePaths: true }).add(text);
  return [{ prefix, matcher }];
}
