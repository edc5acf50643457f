// What a server offers, read page by page and item by item: one tool that is described wrongly costs that tool alone.

import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { z } from "zod";
import { type JsonObject, isRecord } from "../lib/json.ts";
import { count, truncateAtGrapheme } from "../lib/text.ts";
import { toInputSchema } from "./input-schema.ts";

/** Of one list of one server; what comes after is left out, and said so. */
export const MAX_ITEMS = 256;
const MAX_PAGES = 64;
/** One page of a list. */
const LIST_TIMEOUT_MS = 30_000;
/** UTF-16 units. */
const MAX_DESCRIPTION_LENGTH = 4_000;

export type ToolInfo = {
  /** As the server calls it. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** A claim of the server's, not a fact. */
  readonly readOnlyHint: boolean;
};

export type PromptInfo = {
  readonly name: string;
  readonly description: string;
  readonly args: readonly { readonly name: string; readonly required: boolean }[];
};

export type Listed<T> = { readonly items: readonly T[]; readonly problems: readonly string[] };

const METHODS = {
  tools: "tools/list",
  prompts: "prompts/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
} as const;

const page = z.looseObject({ nextCursor: z.string().nullish() });
const optionalText = z.string().nullish();
const tool = z.looseObject({
  name: z.string().min(1),
  title: optionalText,
  description: optionalText,
  inputSchema: z.unknown().optional(),
  annotations: z.looseObject({ readOnlyHint: z.unknown().optional() }).nullish(),
});
const prompt = z.looseObject({
  name: z.string().min(1),
  description: optionalText,
  arguments: z
    .array(z.looseObject({ name: z.string(), required: z.boolean().nullish() }))
    .nullish(),
});

/** The items of a list, as they came. Rejects with what the SDK rejects with. */
export async function listItems(
  client: Client,
  what: keyof typeof METHODS,
  signal: AbortSignal,
): Promise<Listed<unknown>> {
  const items: unknown[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && items.length <= MAX_ITEMS; pages += 1) {
    const answer = await client.request(
      { method: METHODS[what], params: cursor === undefined ? {} : { cursor } },
      page,
      { signal, timeout: LIST_TIMEOUT_MS },
    );
    const listed = answer[what];
    if (Array.isArray(listed)) items.push(...(listed as readonly unknown[]));
    cursor = answer.nextCursor ?? undefined;
    if (cursor === undefined) break;
  }
  if (items.length <= MAX_ITEMS && cursor === undefined) return { items, problems: [] };
  const problems = [`it offers more than ${MAX_ITEMS} ${what}; the rest is left out`];
  return { items: items.slice(0, MAX_ITEMS), problems };
}

function describe(...texts: readonly (string | null | undefined)[]): string {
  const text = texts.find((one) => typeof one === "string" && one.trim() !== "") ?? "";
  return truncateAtGrapheme(text.trim(), MAX_DESCRIPTION_LENGTH);
}

/** Parses each item; what is described wrongly, or has the name of an earlier one, is counted in a problem. */
function readEach<T extends { readonly name: string }>(
  { items, problems }: Listed<unknown>,
  noun: string,
  read: (item: unknown) => T | undefined,
): Listed<T> {
  const known = new Map<string, T>();
  for (const item of items) {
    const one = read(item);
    if (one !== undefined && !known.has(one.name)) known.set(one.name, one);
  }
  const wrong = items.length - known.size;
  return {
    items: [...known.values()],
    problems:
      wrong === 0
        ? problems
        : [...problems, `${count(wrong, noun)} of it cannot be used: described wrongly, or twice`],
  };
}

/** A tool that only runs as a task needs a client that polls; it would refuse our calls. */
function isTaskOnly(item: unknown): boolean {
  const execution = isRecord(item) ? item["execution"] : undefined;
  return isRecord(execution) && execution["taskSupport"] === "required";
}

export function readTools(listed: Listed<unknown>): Listed<ToolInfo> {
  const callable = { ...listed, items: listed.items.filter((item) => !isTaskOnly(item)) };
  return readEach(callable, "tool", (item) => {
    const parsed = tool.safeParse(item);
    if (!parsed.success) return undefined;
    const { name, title, description, inputSchema, annotations } = parsed.data;
    return {
      name,
      description: describe(description, title, name),
      inputSchema: toInputSchema(inputSchema),
      readOnlyHint: annotations?.readOnlyHint === true,
    };
  });
}

export function readPrompts(listed: Listed<unknown>): Listed<PromptInfo> {
  return readEach(listed, "prompt", (item) => {
    const parsed = prompt.safeParse(item);
    if (!parsed.success) return undefined;
    const { name, description, arguments: args } = parsed.data;
    return {
      name,
      description: describe(description, name),
      args: (args ?? []).map((one) => ({ name: one.name, required: one.required === true })),
    };
  });
}
