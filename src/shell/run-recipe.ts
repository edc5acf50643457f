// A target of a Makefile and kin, or a script file: its text is read through the injected reader, shown, and walked.
// It is never trusted: an earlier part of the same line may have changed it.

import { join } from "node:path/posix";
import { count } from "../lib/text.ts";
import { type CommandClass, rankOf } from "./analysis.ts";
import { recipeText } from "./recipes.ts";
import type { Scope } from "./scope.ts";
import { emitUnknown } from "./state.ts";
import type { Recipe } from "./tables/table.ts";

/** Longest part of a recipe that is shown in a warning, in characters. The analysis reads all of it. */
const MAX_SHOWN = 4_000;
const MAX_RECIPE_DEPTH = 8;

function find(
  scope: Scope,
  recipe: Recipe,
  folder: string,
): { file: string; text: string } | undefined {
  for (const file of recipe.files) {
    const path = file.startsWith("/") ? file : join(scope.state.cwd, folder, file);
    if (!scope.state.recipes.has(path)) {
      scope.state.wanted.add(path);
      return undefined;
    }
    const text = scope.state.recipes.get(path);
    if (text !== undefined) return { file, text };
  }
  return undefined;
}

function show(scope: Scope, label: string, text: string): void {
  const lines = count(text.split("\n").length, "line");
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n… (${lines} in all)` : text;
  scope.state.warnings.add(`${label} runs:\n${shown}`);
}

/** Walks what a recipe runs. `own` is the class its command was given already. */
export function runRecipe(scope: Scope, recipe: Recipe, own: CommandClass): void {
  const { state } = scope;
  const [folder, ...others] = state.folders;
  const starter = state.commands.at(-1);
  if (starter !== undefined) state.starters.add(starter);
  const before = state.commands.some(
    (command) => !state.starters.has(command) && rankOf(command.class) >= rankOf("write"),
  );
  if (before && own !== "unknown")
    emitUnknown(state, "an earlier part of the line may change what this runs");
  if (
    scope.depth > MAX_RECIPE_DEPTH ||
    folder === undefined ||
    others.length > 0 ||
    scope.elsewhere
  ) {
    if (own !== "unknown")
      emitUnknown(state, "what it runs is written in a file that cannot be told from here");
    return;
  }
  const found = find(scope, recipe, folder);
  const label =
    [recipe.kind === "script" ? "" : recipe.kind, ...recipe.targets].join(" ").trim() ||
    (recipe.files[0] ?? "");
  const script = found === undefined ? undefined : recipeText(recipe, found.text);
  if (script === undefined) {
    if (own !== "unknown") emitUnknown(state, `what ${label} runs could not be read`);
    return;
  }
  show(scope, label, script.text);
  if (script.unclear !== undefined && own !== "unknown")
    emitUnknown(state, `${label}: ${script.unclear}`);
  const { folders } = state;
  for (const part of script.parts)
    scope.walkText({ ...scope, depth: scope.depth + 1, conditional: true }, part);
  state.folders = folders;
}
