// A server's prompt: typed as a slash command, fetched from the server, told to the model as the user's own words.
// https://modelcontextprotocol.io/specification/2025-11-25/server/prompts

import { z } from "zod";
import type { McpConnection, Outcome } from "./connection.ts";
import { contentText, boundText } from "./content.ts";
import type { PromptInfo } from "./listing.ts";

const GET_TIMEOUT_MS = 60_000;

const answer = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })),
});

export type McpPrompt = {
  /** What is typed after the slash. */
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
  /** The text for the model; `words` are what was typed behind the name. */
  readonly expand: (words: readonly string[], signal: AbortSignal) => Promise<Outcome<string>>;
};

type Filled = Outcome<Readonly<Record<string, string>>>;

/** Arguments by name (`city=Bonn`) or by place; what is left over belongs to the last one. */
function fill({ args }: PromptInfo, words: readonly string[]): Filled {
  const values: Record<string, string> = {};
  const placed: string[] = [];
  for (const word of words) {
    const at = word.indexOf("=");
    const name = word.slice(0, Math.max(at, 0));
    if (args.some((arg) => arg.name === name)) values[name] = word.slice(at + 1);
    else placed.push(word);
  }
  const open = args.filter(({ name }) => !Object.hasOwn(values, name));
  for (const [index, { name }] of open.entries()) {
    const isLast = index === open.length - 1;
    const value = isLast ? placed.slice(index).join(" ") : placed[index];
    if (value !== undefined && value !== "") values[name] = value;
  }
  const missing = args.filter(({ name, required }) => required && !Object.hasOwn(values, name));
  if (missing.length === 0) return { ok: true, value: values };
  return { ok: false, text: `Say ${missing.map(({ name }) => `\`${name}\``).join(" and ")}.` };
}

function hintOf({ args }: PromptInfo): string | undefined {
  if (args.length === 0) return undefined;
  return args.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(" ");
}

export function createMcpPrompt(
  name: string,
  info: PromptInfo,
  connection: McpConnection,
): McpPrompt {
  const hint = hintOf(info);
  return {
    name,
    description: info.description,
    ...(hint === undefined ? {} : { hint }),
    expand: async (words, signal) => {
      const filled = fill(info, words);
      if (!filled.ok)
        return { ok: false, text: `${filled.text} Write \`/${name} ${hint ?? ""}\`.` };
      const outcome = await connection.ask(
        (client) =>
          client.request(
            { method: "prompts/get", params: { name: info.name, arguments: filled.value } },
            answer,
            { signal, timeout: GET_TIMEOUT_MS },
          ),
        signal,
      );
      if (!outcome.ok) return outcome;
      const texts = outcome.value.messages.map(({ role, content }) => {
        const text = contentText(Array.isArray(content) ? content : [content]);
        return role === "assistant" ? `Answer so far: ${text}` : text;
      });
      return { ok: true, value: boundText(texts.join("\n\n")) };
    },
  };
}
