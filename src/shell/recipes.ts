// The text of a Makefile, justfile, Taskfile or package.json → the shell text that a target runs. Pure; what depends on
// variables or on other files is called unclear rather than guessed.

import { isRecord, parseJson } from "../lib/json.ts";
import { isRiskyVariable } from "./risky-variables.ts";
import type { Recipe } from "./tables/table.ts";

export type RecipeText = {
  /** What is shown. */
  readonly text: string;
  /** Shell texts to analyse, one a line where each line has a shell of its own. */
  readonly parts: readonly string[];
  /** Why the parts may not be all that runs. */
  readonly unclear?: string;
};

/** Most targets that are followed from one. */
const MAX_TARGETS = 100;

type Target = { readonly needs: readonly string[]; readonly lines: readonly string[] };

function makeTargets(text: string): Map<string, Target> {
  const targets = new Map<string, Target>();
  let current: string[] = [];
  for (const line of text.replaceAll(/\\\n/g, " \\\n").split("\n")) {
    const head = /^([^\s#:=][^:=#]*)::?(?!=)([^=]*?)(?:;(.*))?$/.exec(line);
    if (line.startsWith("\t")) current.push(line.slice(1));
    else if (head !== null) {
      current = head[3] === undefined ? [] : [head[3].trim()];
      const needs = (head[2] ?? "")
        .replace(/#.*/, "")
        .split(/\s+/)
        .filter((name) => name !== "" && name !== "|");
      for (const name of (head[1] ?? "").trim().split(/\s+/))
        targets.set(name, {
          needs: [...(targets.get(name)?.needs ?? []), ...needs],
          lines: current,
        });
    }
  }
  return targets;
}

function collect(
  targets: ReadonlyMap<string, Target>,
  names: readonly string[],
): Target[] | undefined {
  const queue = [...names];
  const seen = new Set<string>();
  const found: Target[] = [];
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const target = targets.get(name);
    if (target === undefined && names.includes(name)) return undefined;
    if (target !== undefined) found.unshift(target);
    queue.push(...(target?.needs ?? []));
    if (seen.size > MAX_TARGETS) return undefined;
  }
  return found;
}

/** Simple `NAME = value` lines of a Makefile or justfile. */
function variablesOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", value = ""] of text.matchAll(
    /^(?:export\s+)?([A-Za-z_]\w*)\s*(?::{0,3}|\?)=[ \t]*(.*)$/gm,
  ))
    found.set(name, found.has(name) ? "$(unclear)" : value.trim());
  return found;
}

/** Functions and directives that run something, bring in other text, or change how lines are run. */
const MAKE_CODE =
  /\$[({](?:shell|eval|call|file|guile)\b|!=|^\s*-?s?include\b|^\s*-?load\b|^\s*(?:override\s+)?define\b|^\s*\.(?:ONESHELL|SHELLFLAGS|RECIPEPREFIX)\b|^%|^\S*%\S*:/m;
const JUST_CODE =
  /`|^import\b|^mod\b|shell\(|^set\s+(?!(?:quiet|positional-arguments|ignore-comments|allow-duplicate-(?:recipes|variables))\b)|^\[(?:script|extension|working-directory|no-cd)\b/m;
/** An assignment of a Makefile or justfile, also one for a single target. */
const ASSIGNMENT =
  /^[ \t]*(?:[^\s:=#][^:=#\n]*:[ \t]*)?(?:(?:export|override|private)[ \t]+)*([A-Za-z_]\w*)[ \t]*[:?+]*=/gm;

function hidesCode(text: string, code: RegExp): boolean {
  if (code.test(text)) return true;
  return [...text.matchAll(ASSIGNMENT)].some(([, name = ""]) => isRiskyVariable(name));
}

function makeText(text: string, names: readonly string[]): RecipeText | undefined {
  const targets = makeTargets(text);
  const first = [...targets.keys()].find((name) => !name.startsWith("."));
  const wanted = names.length > 0 ? names : first === undefined ? [] : [first];
  const found = collect(targets, wanted);
  if (found === undefined || wanted.length === 0) return undefined;
  const variables = variablesOf(text);
  const lines = found
    .flatMap((target) => target.lines)
    .join("\n")
    .replaceAll(/ \\\n\t?/g, " ")
    .split("\n");
  let unclear = hidesCode(text, MAKE_CODE)
    ? "the Makefile holds parts that are run or put together when it is read, or that choose what runs it"
    : undefined;
  const parts = lines.map((line) => {
    const filled = line
      .replace(/^[@+-]+\s*/, "")
      .replaceAll(/\$[({](\w+)[)}]/g, (all, name) =>
        name === "MAKE" ? "make" : (variables.get(name) ?? all),
      );
    if (/(^|[^$])\$(?!\$)/.test(filled))
      unclear ??= "a line depends on variables that are set elsewhere";
    return filled.replaceAll(/(?<!\$)\$[({@<^*?%]\w*[)}]?/g, "UNCLEAR").replaceAll("$$", "$");
  });
  return {
    text: lines.join("\n"),
    parts: parts.filter((part) => part.trim() !== ""),
    ...(unclear === undefined ? {} : { unclear }),
  };
}

function justTargets(text: string): Map<string, Target> {
  const targets = new Map<string, Target>();
  let current: string[] = [];
  for (const line of text.split("\n")) {
    const head = /^@?([A-Za-z_][\w-]*)([^:=]*):(?!=)(.*)$/.exec(line);
    if (/^[ \t]/.test(line)) current.push(line.trim());
    else if (head !== null) {
      current = [];
      targets.set(head[1] ?? "", {
        needs: (head[3] ?? "")
          .replace(/#.*/, "")
          .split(/[\s&()]+/)
          .filter((name) => name !== ""),
        lines: current,
      });
    }
  }
  return targets;
}

function justText(text: string, names: readonly string[]): RecipeText | undefined {
  const targets = justTargets(text);
  const first = targets.keys().next().value;
  const wanted = names.length > 0 ? names : first === undefined ? [] : [first];
  const found = collect(targets, wanted);
  if (found === undefined || wanted.length === 0) return undefined;
  const lines = found.flatMap((target) => target.lines);
  const isScript = lines.some((line) => line.startsWith("#!"));
  const unclear = isScript
    ? "the recipe is a script of its own"
    : hidesCode(text, JUST_CODE) || /\{\{/.test(lines.join("\n"))
      ? "the recipe depends on values put in when it runs"
      : undefined;
  const parts = lines.map((line) =>
    line.replace(/^[@-]+\s*/, "").replaceAll(/\{\{.*?\}\}/g, "UNCLEAR"),
  );
  return { text: lines.join("\n"), parts, ...(unclear === undefined ? {} : { unclear }) };
}

/** Scripts of a package.json, with what npm runs before and after. */
function npmText(text: string, names: readonly string[]): RecipeText | undefined {
  const parsed = parseJson(text);
  const scripts = isRecord(parsed) && isRecord(parsed["scripts"]) ? parsed["scripts"] : {};
  const parts: string[] = [];
  for (const name of names) {
    if (typeof scripts[name] !== "string") return undefined;
    for (const key of [`pre${name}`, name, `post${name}`]) {
      const script = scripts[key];
      if (typeof script === "string") parts.push(script);
    }
  }
  return parts.length === 0 ? undefined : { text: parts.join("\n"), parts };
}

function cmdsOf(task: unknown): string[] | undefined {
  const cmds = Array.isArray(task) ? task : isRecord(task) ? (task["cmds"] ?? task["cmd"]) : task;
  const list = Array.isArray(cmds) ? cmds : [cmds];
  const texts = list.map((cmd: unknown) => (isRecord(cmd) ? cmd["cmd"] : cmd));
  return texts.every((cmd) => typeof cmd === "string") ? texts : undefined;
}

function taskText(text: string, names: readonly string[]): RecipeText | undefined {
  let parsed: unknown;
  try {
    parsed = Bun.YAML.parse(text);
  } catch {
    // Not YAML: what it runs cannot be told, and the caller says so.
    return undefined;
  }
  if (!isRecord(parsed) || !isRecord(parsed["tasks"])) return undefined;
  const { tasks } = parsed;
  const wanted = names.length > 0 ? names : ["default"];
  const parts: string[] = [];
  let unclear = Object.keys(parsed).every((key) =>
    /^(version|tasks|silent|output|method)$/.test(key),
  )
    ? undefined
    : "the Taskfile depends on values or files put in when it runs";
  for (const name of wanted) {
    const task = tasks[name];
    const cmds = task === undefined ? undefined : cmdsOf(task);
    if (cmds === undefined) return undefined;
    if (
      isRecord(task) &&
      Object.keys(task).some(
        (key) => !/^(cmds?|desc|summary|silent|aliases|sources|generates)$/.test(key),
      )
    )
      unclear ??= "the task depends on other tasks or values";
    parts.push(...cmds);
  }
  if (/\{\{/.test(parts.join("\n"))) unclear ??= "the task depends on values put in when it runs";
  return {
    text: parts.join("\n"),
    parts: parts.map((part) => part.replaceAll(/\{\{.*?\}\}/g, "UNCLEAR")),
    ...(unclear === undefined ? {} : { unclear }),
  };
}

const READERS: Readonly<
  Record<Recipe["kind"], (text: string, names: readonly string[]) => RecipeText | undefined>
> = {
  make: makeText,
  just: justText,
  npm: npmText,
  task: taskText,
  script: scriptText,
};

function scriptText(text: string): RecipeText | undefined {
  // A compiled program.
  if (text.includes("\0")) return undefined;
  const isOther = text.startsWith("#!") && !/^#!.*\b(ba|da|z|k)?sh\b/.test(text);
  return { text, parts: isOther ? [] : [text] };
}

/** What the targets run; `undefined` when the file has no such target. */
export function recipeText(recipe: Recipe, text: string): RecipeText | undefined {
  return READERS[recipe.kind](text, recipe.targets);
}
