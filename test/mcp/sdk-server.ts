// A server written with the official SDK, over stdio: `bun sdk-server.ts`.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "by-the-sdk", version: "1.0.0" });
server.registerTool(
  "add",
  {
    description: "Adds two numbers",
    inputSchema: { a: z.number(), b: z.number() },
    outputSchema: { sum: z.number() },
    annotations: { readOnlyHint: true },
  },
  ({ a, b }) => ({
    content: [{ type: "text", text: `${a + b}` }],
    structuredContent: { sum: a + b },
  }),
);
server.registerTool("grow", { description: "Adds a tool" }, () => {
  server.registerTool("grown", {}, () => ({ content: [{ type: "text", text: "grown" }] }));
  return { content: [{ type: "text", text: "done" }] };
});
server.registerPrompt(
  "plan",
  { description: "Plan something", argsSchema: { what: z.string() } },
  ({ what }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Plan ${what}` } }],
  }),
);
server.registerResource("readme", "doc://readme", { mimeType: "text/plain" }, (uri) => ({
  contents: [{ uri: uri.href, text: "Read me" }],
}));
await server.connect(new StdioServerTransport());
