// Path rules against paths. A rule that forbids or asks is read generously (as written and by real path, any case, the
// folder it names with all below it); a rule that allows is read strictly (real path only).

import { basename, dirname, relative } from "node:path";
import { Glob } from "bun";
import type { PathAccess } from "../conversation/access.ts";
import { isInside, withSlashes } from "../lib/path-inside.ts";
import { isFileTool, matchesWildcard, READ_TOOLS, type Rule, WRITE_TOOLS } from "./rules.ts";

/** Who touches a path, and how. `tool` is a tool's name, `bash` for a file that a command names. */
export type Touch = { readonly tool: string; readonly how: "read" | "write" };

type ReadablePlaces = { readonly roots: readonly string[]; readonly readable?: readonly string[] };

/** Where reading needs no question: the roots, and what the session itself has put aside. */
export const readableRoots = ({ roots, readable = [] }: ReadablePlaces): readonly string[] => [
  ...roots,
  ...readable,
];

/** True when a denying or asking rule is about this kind of touch at all. */
function concerns(rule: Rule, touch: Touch): boolean {
  if (rule.tool === "file") return true;
  // An edit shows what was there before, so a rule on reading holds for it as well.
  if (READ_TOOLS.includes(rule.tool)) return touch.how === "read" || touch.tool === "edit_file";
  if (WRITE_TOOLS.includes(rule.tool)) return touch.how === "write";
  // iac_apply(prod/**): only the tool itself.
  return matchesWildcard(rule.tool, touch.tool);
}

const folded = (text: string): string => text.normalize("NFC").toLowerCase();

/** The ways a path may be spelled in a rule: relative to each root that holds it, and absolute. */
function spellings(path: string, roots: readonly string[]): string[] {
  const inside = roots.filter((root) => isInside(root, path));
  return [path, ...inside.map((root) => relative(root, path) || ".")].map((one) =>
    withSlashes(one),
  );
}

/** The path and every folder above it. */
function withParents(path: string): string[] {
  const all = [path];
  for (let current = path; dirname(current) !== current; current = dirname(current))
    all.push(dirname(current));
  return all;
}

type Matcher = (spelling: string) => boolean;

/** Whether a glob names a path, spelled in one way. Case and the form of accents do not count. */
function matcherOf(glob: string): Matcher {
  const pattern = folded(glob).replace(/\/+$/, "");
  const compiled = new Glob(pattern);
  return (spelling) => {
    const text = folded(spelling);
    return (
      compiled.match(text) ||
      text === pattern ||
      (!pattern.includes("/") && compiled.match(basename(text)))
    );
  };
}

function bitesPath(glob: string, path: string, roots: readonly string[]): boolean {
  const matches = matcherOf(glob);
  return withParents(path).some((one) => spellings(one, roots).some(matches));
}

/** The first of `rules` that forbids (or asks about) this touch of `path`. Generous on purpose. */
export function findBitingRule(
  rules: readonly Rule[],
  touch: Touch,
  path: PathAccess,
  roots: readonly string[],
): Rule | undefined {
  return rules.find((rule) => {
    if (!concerns(rule, touch)) return false;
    if (rule.pattern === undefined) return true;
    if (rule.pattern.type !== "path") return false;
    const { glob } = rule.pattern;
    return bitesPath(glob, path.realPath, roots) || bitesPath(glob, path.path, roots);
  });
}

/** The first of `rules` that allows this very tool on the real path. Strict on purpose. */
export function findAllowingRule(
  rules: readonly Rule[],
  tool: string,
  path: PathAccess,
  roots: readonly string[],
): Rule | undefined {
  return rules.find((rule) => {
    if (rule.tool !== tool && !(rule.tool === "file" && isFileTool(tool))) return false;
    if (rule.pattern === undefined) return true;
    if (rule.pattern.type !== "path") return false;
    const compiled = new Glob(rule.pattern.glob);
    return spellings(path.realPath, roots).some((text) => compiled.match(text.normalize("NFC")));
  });
}

/** True when one of the globs names `path`, in the generous reading. */
export function matchesAnyGlob(
  globs: readonly string[],
  path: PathAccess,
  roots: readonly string[],
): boolean {
  return globs.some(
    (glob) => bitesPath(glob, path.realPath, roots) || bitesPath(glob, path.path, roots),
  );
}

/**
 * Tells whether a deny rule forbids reading a path (or `how` says). For tools that meet files while walking (grep, glob,
 * list_files): what is denied is left out of their results. Remembers folders, so that a walk asks about each but once.
 */
export function pathDenier(
  deny: readonly Rule[],
  roots: readonly string[],
  how: Touch["how"] = "read",
): (path: PathAccess) => boolean {
  const touch = { tool: how === "read" ? "read_file" : "write_file", how };
  const rules = deny.filter((rule) => concerns(rule, touch));
  if (rules.some(({ pattern }) => pattern === undefined)) return () => true;
  const matchers = rules.flatMap(({ pattern }) =>
    pattern?.type === "path" ? [matcherOf(pattern.glob)] : [],
  );
  if (matchers.length === 0) return () => false;
  const folders = new Map<string, boolean>();
  const bites = (path: string): boolean => {
    const parent = dirname(path);
    return (
      (parent !== path && bitesFolder(parent)) ||
      spellings(path, roots).some((text) => matchers.some((matches) => matches(text)))
    );
  };
  const bitesFolder = (path: string): boolean => {
    const known = folders.get(path);
    if (known !== undefined) return known;
    const found = bites(path);
    folders.set(path, found);
    return found;
  };
  return ({ path, realPath }) => bites(realPath) || (path !== realPath && bites(path));
}
