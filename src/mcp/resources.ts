// A server's resources as two tools of ours: one lists them, one reads one.
// https://modelcontextprotocol.io/specification/2025-11-25/server/resources

import { z } from "zod";
import type { JsonObject } from "../lib/json.ts";
import type { McpConnection } from "./connection.ts";
import { boundText, resourcesText } from "./content.ts";
import { type ToolInfo, listItems } from "./listing.ts";
import type { McpCallContext, McpToolResult } from "./tool.ts";

/** A resource may be made when it is read. */
const READ_TIMEOUT_MS = 120_000;

const optionalText = z.string().nullish();
const listed = z.looseObject({
  uri: optionalText,
  uriTemplate: optionalText,
  name: optionalText,
  description: optionalText,
  mimeType: optionalText,
});
const contents = z.looseObject({ contents: z.unknown().optional() });

function rowOf(item: unknown): string[] {
  const parsed = listed.safeParse(item);
  const address = parsed.success ? (parsed.data.uri ?? parsed.data.uriTemplate) : undefined;
  if (!parsed.success || typeof address !== "string") return [];
  const { name, description, mimeType } = parsed.data;
  const about = [name, mimeType, description?.replaceAll(/\s+/g, " ")].filter(
    (text) => typeof text === "string" && text !== "",
  );
  return [`- ${address}${about.length === 0 ? "" : ` – ${about.join("; ")}`}`];
}

async function list(connection: McpConnection, signal: AbortSignal): Promise<McpToolResult> {
  const outcome = await connection.ask(async (client) => {
    const resources = await listItems(client, "resources", signal);
    // Templates are an extra that many servers do not know.
    const templates = await listItems(client, "resourceTemplates", signal).catch(() => ({
      items: [],
      problems: [],
    }));
    return { resources, templates };
  }, signal);
  if (!outcome.ok) return { ok: false, text: outcome.text };
  const { resources, templates } = outcome.value;
  const rows = resources.items.flatMap(rowOf);
  const templateRows = templates.items.flatMap(rowOf);
  const parts = [
    rows.length === 0 ? "There are no resources." : rows.join("\n"),
    ...(templateRows.length === 0 ? [] : ["Addresses to fill in:", ...templateRows]),
    ...resources.problems.map((problem) => `[${problem}]`),
  ];
  return { ok: true, text: boundText(parts.join("\n")) };
}

async function read(
  connection: McpConnection,
  uri: string,
  signal: AbortSignal,
): Promise<McpToolResult> {
  const outcome = await connection.ask(
    (client) =>
      client.request({ method: "resources/read", params: { uri } }, contents, {
        signal,
        timeout: READ_TIMEOUT_MS,
      }),
    signal,
  );
  return outcome.ok
    ? { ok: true, text: resourcesText(outcome.value.contents) }
    : { ok: false, text: outcome.text };
}

export type ResourceTool = {
  readonly info: ToolInfo;
  readonly execute: (args: JsonObject, context: McpCallContext) => Promise<McpToolResult>;
};

/** Empty for a server without resources. */
export function resourceTools(connection: McpConnection): readonly ResourceTool[] {
  if (!connection.offers.hasResources) return [];
  const { name } = connection.spec;
  return [
    {
      info: {
        name: "list_resources",
        description: `Lists the resources that the MCP server ${name} offers, with their addresses.`,
        inputSchema: { type: "object", properties: {} },
        readOnlyHint: true,
      },
      execute: (_args, { signal }) => list(connection, signal),
    },
    {
      info: {
        name: "read_resource",
        description: `Reads one resource of the MCP server ${name} by its address.`,
        inputSchema: {
          type: "object",
          properties: { uri: { type: "string", description: "Its address, as it was listed" } },
          required: ["uri"],
        },
        readOnlyHint: true,
      },
      // The schema lets only text through.
      execute: ({ uri }, { signal }) =>
        read(connection, typeof uri === "string" ? uri : "", signal),
    },
  ];
}
