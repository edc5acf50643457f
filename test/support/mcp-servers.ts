// MCP servers for tests: where the one over stdio lies, and one over HTTP.

import { fileURLToPath } from "node:url";

export const MCP_SERVER = fileURLToPath(import.meta.resolve("./mcp-server.ts"));

/** A server over HTTP that forgets its sessions on demand; its tool `who` names the session. */
export function forgetfulMcpServer(port = 0): {
  readonly url: string;
  readonly forget: (next: string) => void;
} & Disposable {
  let session = "one";
  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      if (request.method !== "POST") return new Response(undefined, { status: 405 });
      const { id, method } = (await request.json()) as { id?: number; method: string };
      const headers = { "mcp-session-id": session };
      const given = request.headers.get("mcp-session-id");
      if (method !== "initialize" && given !== session)
        return new Response("no such session", { status: 404 });
      if (id === undefined) return new Response(undefined, { status: 202 });
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "forgetful", version: "1" },
        },
        "tools/list": { tools: [{ name: "who", inputSchema: { type: "object" } }] },
        "tools/call": { content: [{ type: "text", text: `session ${session}` }] },
      };
      return Response.json({ jsonrpc: "2.0", id, result: results[method] ?? {} }, { headers });
    },
  });
  return {
    url: server.url.href,
    forget: (next: string) => void (session = next),
    [Symbol.dispose]: () => void server.stop(true),
  };
}
