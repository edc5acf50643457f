// A server's tool as a tool of ours: the same gate, the same updates, the server's own schema. The shape is that of
// src/tools/tool.ts, stated again since rooms of one rank do not know one another.

import { z } from "zod";
import { type JsonObject, type JsonValue, isRecord } from "../lib/json.ts";
import { fence } from "../lib/text.ts";
import type { McpConnection } from "./connection.ts";
import { toolResultText } from "./content.ts";
import { argumentFaults } from "./input-schema.ts";
import type { ToolInfo } from "./listing.ts";
import { progressThrottle } from "./progress.ts";

/** A call that neither answers nor reports progress is given up after this long; with progress, after the second. */
const CALL_SILENCE_MS = 10 * 60 * 1_000;
const CALL_LIMIT_MS = 60 * 60 * 1_000;

type TextContent = { readonly type: "text"; readonly text: string };
export type McpCallContext = {
  readonly signal: AbortSignal;
  readonly progress: (content: readonly TextContent[]) => void;
};
export type McpToolResult = { readonly ok: boolean; readonly text: string };

export type McpPreparedCall = {
  readonly title: string;
  readonly kind: "other";
  readonly rawInput: JsonObject;
  readonly access: {
    readonly type: "mcp";
    readonly server: string;
    readonly tool: string;
    readonly readOnlyHint: boolean;
  };
  readonly locations: readonly never[];
  readonly preview: () => Promise<{
    readonly ok: true;
    readonly content: readonly TextContent[];
  }>;
  readonly execute: (context: McpCallContext) => Promise<McpToolResult>;
};

export type McpTool = {
  readonly name: string;
  readonly kind: "other";
  readonly description: string;
  readonly parameters: JsonObject;
  readonly prepare: (
    rawArgs: unknown,
  ) => Promise<
    | { readonly ok: true; readonly call: McpPreparedCall }
    | { readonly ok: false; readonly text: string }
  >;
};

export type McpToolParts = {
  /** What the model calls it. */
  readonly name: string;
  readonly server: string;
  readonly info: ToolInfo;
  readonly execute: (args: JsonObject, context: McpCallContext) => Promise<McpToolResult>;
};

/** Makes a tool from its description and what it does. */
export function createMcpTool({ name, server, info, execute }: McpToolParts): McpTool {
  const { inputSchema, readOnlyHint } = info;
  return {
    name,
    kind: "other",
    description: info.description,
    parameters: inputSchema,
    prepare: async (rawArgs) => {
      const args = isRecord(rawArgs) ? (rawArgs as Record<string, JsonValue>) : undefined;
      const faults =
        args === undefined ? ["arguments: must be an object"] : argumentFaults(inputSchema, args);
      if (args === undefined || faults.length > 0)
        return {
          ok: false,
          text: `Invalid arguments for ${name}: ${faults.join("; ")}. Nothing was run. The schema is ${JSON.stringify(inputSchema)}`,
        };
      const shown = fence(JSON.stringify(args, undefined, 2), "json");
      return {
        ok: true,
        call: {
          title: `${info.name} (MCP server ${server})`,
          kind: "other",
          rawInput: args,
          access: { type: "mcp", server, tool: info.name, readOnlyHint },
          locations: [],
          preview: async () => ({ ok: true, content: [{ type: "text", text: shown }] }),
          execute: (context) => execute(args, context),
        },
      };
    },
  };
}

const callResult = z.looseObject({
  content: z.unknown().optional(),
  structuredContent: z.unknown().optional(),
  isError: z.unknown().optional(),
  /** Servers of the first protocol version answer with this. */
  toolResult: z.unknown().optional(),
});

/** Calls the server's tool; progress replaces what the client sees of the call. */
export async function callServerTool(
  connection: McpConnection,
  tool: string,
  args: JsonObject,
  { signal, progress }: McpCallContext,
): Promise<McpToolResult> {
  using shown = progressThrottle((text) => progress([{ type: "text", text }]));
  const outcome = await connection.ask(
    (client) =>
      client.request(
        { method: "tools/call", params: { name: tool, arguments: args } },
        callResult,
        {
          signal,
          timeout: CALL_SILENCE_MS,
          maxTotalTimeout: CALL_LIMIT_MS,
          resetTimeoutOnProgress: true,
          onprogress: (update) => shown.push(update),
        },
      ),
    signal,
  );
  if (!outcome.ok) return { ok: false, text: outcome.text };
  const { content, structuredContent, isError, toolResult } = outcome.value;
  const text = toolResultText({ content, structuredContent: structuredContent ?? toolResult });
  return { ok: isError !== true, text };
}
