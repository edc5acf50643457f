// The room's front door: a command line → everything that would really run, each command with its class.
// Nothing is run here, and no file is read but through the reader that the caller injects.

import type { Parser } from "web-tree-sitter";
import type { CommandAnalysis } from "./analysis.ts";
import { bashParser } from "./grammar.ts";
import { namedChildren, type Parsed, parseShell } from "./parse.ts";
import type { Scope } from "./scope.ts";
import { createState, emitUnknown, type ShellState } from "./state.ts";
import { walkAll, walkText } from "./walk.ts";

export type AnalyzeOptions = {
  /** Absolute path of the folder the command starts in. */
  readonly cwd: string;
  /** The environment the shell will have; variables outside it count as known only at run time. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * The text of a file that says what a target or script runs (a Makefile, a package.json, deploy.sh), by absolute
   * path; `undefined` when there is none. Default: there is none, and what it would run is unknown.
   */
  readonly readRecipe?: (path: string) => Promise<string | undefined>;
};

/** Most text that one analysis parses, scripts inside scripts counted each time, in UTF-16 units. */
const MAX_PARSED_LENGTH = 1_000_000;
/** How often recipes may ask for further recipes. */
const MAX_RECIPE_ROUNDS = 12;

/** Parses until the budget of one analysis is used up; then nothing more is understood. */
function boundedParse(parser: Parser): (text: string) => Parsed {
  let left = MAX_PARSED_LENGTH;
  return (text) => {
    left -= text.length;
    return left < 0
      ? { ok: false, why: "is too much to follow to the end" }
      : parseShell(parser, text);
  };
}

function refused(why: string): CommandAnalysis {
  return {
    class: "unknown",
    commands: [
      {
        argv: [],
        class: "unknown",
        scope: [],
        reason: `the command ${why}`,
        reads: [],
        writes: [],
      },
    ],
    warnings: [],
  };
}

/** Functions that nothing on the line calls may still be called by something that is not seen; walking one may define more. */
function walkUncalled(scope: Scope): void {
  const { functions, called } = scope.state;
  const next = () => [...functions.values()].flat().find((body) => !called.has(body));
  for (let body = next(); body !== undefined; body = next()) {
    called.add(body);
    walkAll({ ...scope, text: body.text, conditional: true, depth: 1 }, [body.node]);
  }
}

function analyzeOnce(scope: Scope): void {
  scope.walkText(scope, scope.text);
  walkUncalled(scope);
}

function toAnalysis(state: ShellState): CommandAnalysis {
  return { class: state.worst, commands: state.commands, warnings: [...state.warnings] };
}

/**
 * Says what `command` would run. Never rejects for what the command holds: what cannot be understood is `unknown`.
 * Rejects only when the grammar cannot be loaded or `readRecipe` rejects.
 */
export async function analyzeCommand(
  command: string,
  options: AnalyzeOptions,
): Promise<CommandAnalysis> {
  const parser = await bashParser();
  const first = parseShell(parser, command);
  if (!first.ok) return refused(first.why);
  if (namedChildren(first.root).length === 0) return { class: "read", commands: [], warnings: [] };
  const recipes = new Map<string, string | undefined>();
  for (let round = 0; ; round += 1) {
    const state = createState({
      env: options.env ?? {},
      recipes: recipes,
      cwd: options.cwd,
      parse: boundedParse(parser),
    });
    const scope: Scope = {
      state,
      text: command,
      conditional: false,
      stdin: { type: "none" },
      depth: 0,
      places: [],
      elsewhere: false,
      walkAll,
      walkText,
    };
    analyzeOnce(scope);
    if (state.wanted.size === 0 || options.readRecipe === undefined) return toAnalysis(state);
    if (round >= MAX_RECIPE_ROUNDS) {
      emitUnknown(state, "recipes call further recipes without end");
      return toAnalysis(state);
    }
    for (const path of state.wanted) recipes.set(path, await options.readRecipe(path));
  }
}
