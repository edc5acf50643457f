// A project's own `.iac-code/config.json`. Whoever wrote the repository wrote it, so it may only tighten: it can forbid,
// make ask, protect and instruct. Addresses, keys, headers, commands, allow rules, modes, MCP servers never come from here.

import { join } from "node:path";
import { isRecord } from "../lib/json.ts";
import { truncateAtGrapheme } from "../lib/text.ts";
import { readConfigFile, showName } from "./read-file.ts";
import type { FileContent } from "./read-file.ts";
import type { JsoncPath } from "./jsonc.ts";

type Tightening = {
  readonly deny: readonly string[];
  readonly ask: readonly string[];
  readonly protectedPaths: readonly string[];
  readonly instructions?: string;
};
export type ProjectConfig = {
  readonly tighten: Tightening;
  readonly warnings: readonly string[];
};

/** Longer instructions are cut, so that a project cannot fill the model's window. */
const MAX_INSTRUCTIONS_LENGTH = 20_000;
const MAX_RULES = 1_000;
const NOTHING: Tightening = { deny: [], ask: [], protectedPaths: [] };
const ALLOWED = "permissions.deny, permissions.ask, protectedPaths, instructions";

type Content = Extract<FileContent, { type: "object" }>;

/** Never rejects. Warnings name each key that does not count, never its value. */
export async function loadProjectConfig(cwd: string): Promise<ProjectConfig> {
  const content = await readConfigFile(join(cwd, ".iac-code", "config.json"));
  if (content.type === "absent") return { tighten: NOTHING, warnings: [] };
  if (content.type === "broken") {
    return { tighten: NOTHING, warnings: [`${content.error}; its rules do not count`] };
  }
  const warnings: string[] = [];
  const { permissions, protectedPaths, instructions, $schema: _, ...others } = content.value;
  for (const name of Object.keys(others)) warnings.push(ignored(content, [name]));
  const rules = readRules(content, permissions, warnings);
  const told = readInstructions(content, instructions, warnings);
  return {
    tighten: {
      ...rules,
      protectedPaths: readTexts(content, ["protectedPaths"], protectedPaths, warnings),
      ...(told === undefined ? {} : { instructions: told }),
    },
    warnings,
  };
}

function ignored({ place }: Content, path: JsoncPath): string {
  return `${place(path)}: "${showName(path)}" is ignored: a project may only set ${ALLOWED}`;
}

function readRules(
  content: Content,
  value: unknown,
  warnings: string[],
): Pick<Tightening, "deny" | "ask"> {
  if (value === undefined) return NOTHING;
  if (!isRecord(value)) {
    warnings.push(`${content.place(["permissions"])}: permissions: must be an object`);
    return NOTHING;
  }
  const { deny, ask, ...others } = value;
  for (const name of Object.keys(others)) warnings.push(ignored(content, ["permissions", name]));
  return {
    deny: readTexts(content, ["permissions", "deny"], deny, warnings),
    ask: readTexts(content, ["permissions", "ask"], ask, warnings),
  };
}

/** Keeps what is right of a list: a restriction beside a mistake still counts. */
function readTexts(
  { place }: Content,
  path: JsoncPath,
  value: unknown,
  warnings: string[],
): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    warnings.push(`${place(path)}: ${showName(path)}: must be a list of texts`);
    return [];
  }
  const texts = value.filter((item) => typeof item === "string" && item.trim() !== "");
  if (texts.length < value.length) {
    warnings.push(`${place(path)}: ${showName(path)}: what is no text in this list is ignored`);
  }
  if (texts.length > MAX_RULES) {
    warnings.push(`${place(path)}: ${showName(path)}: only the first ${MAX_RULES} count`);
  }
  return texts.slice(0, MAX_RULES);
}

function readInstructions(
  { place }: Content,
  value: unknown,
  warnings: string[],
): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string") {
    warnings.push(`${place(["instructions"])}: instructions: must be a text`);
    return undefined;
  }
  if (value.length <= MAX_INSTRUCTIONS_LENGTH) return value.trim() === "" ? undefined : value;
  warnings.push(
    `${place(["instructions"])}: instructions: cut at ${MAX_INSTRUCTIONS_LENGTH} characters`,
  );
  return truncateAtGrapheme(value, MAX_INSTRUCTIONS_LENGTH);
}
