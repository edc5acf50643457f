// A prompt's blocks → the text the model is told. Linked files inside the project are read through the same gate and the
// same tool as the model's own reads; where that would ask or is denied, the model gets the name and may ask itself.

import { fileURLToPath } from "node:url";
import type { PromptBlock } from "../conversation/content.ts";
import { newToolCallId } from "../lib/ids.ts";
import { fence } from "../lib/text.ts";
import type { AgentPorts } from "./ports.ts";

/** Endpoints refuse an empty message, and a conversation that ends with the model's own words. */
const EMPTY_PROMPT = "[The user sent an empty message.]";

function pathOfUri(uri: string): string | undefined {
  if (!uri.startsWith("file:")) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    // Not a file URL this machine understands; the model still gets the link itself.
    return undefined;
  }
}

async function readLinked(
  path: string,
  ports: AgentPorts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const prepared = await ports.tools
    .get("read_file")
    ?.prepare({ path }, { cwd: ports.cwd, roots: ports.roots });
  if (prepared?.ok !== true) return undefined;
  const { call } = prepared;
  const toolCallId = newToolCallId();
  const { title, kind, access, rawInput, locations } = call;
  const verdict = await ports.gate({
    toolCallId,
    tool: "read_file",
    title,
    kind,
    access,
    rawInput,
    locations,
  });
  if (verdict.type !== "allow") return undefined;
  const result = await call.execute(
    ports.toolContext({ toolCallId, signal, progress: () => undefined }),
  );
  return result.ok ? ports.masker.mask(result.text) : undefined;
}

async function blockText(
  block: PromptBlock,
  ports: AgentPorts,
  signal: AbortSignal,
): Promise<string> {
  switch (block.type) {
    case "text":
      return ports.masker.mask(block.text);
    case "resource":
      return `Content of ${block.uri}, given by the user:\n${fence(ports.masker.mask(block.text))}`;
    case "resource_link": {
      const path = pathOfUri(block.uri);
      const content = path === undefined ? undefined : await readLinked(path, ports, signal);
      if (content !== undefined)
        return `The user points at ${block.name} (${path}). Its content:\n${fence(content)}`;
      return `The user points at ${block.name} (${path ?? block.uri}). Its content was not read.`;
    }
  }
}

export async function promptText(
  blocks: readonly PromptBlock[],
  ports: AgentPorts,
  signal: AbortSignal,
): Promise<string> {
  const parts: string[] = [];
  for (const block of blocks) parts.push(await blockText(block, ports, signal));
  const text = parts.join("\n\n");
  return text.trim() === "" ? EMPTY_PROMPT : text;
}
