// A small MCP server on stdin and stdout, written against the specification and nothing else, so that it starts at once
// and can misbehave: `bun mcp-server.ts [how]`. What its tools do is in their names.
// https://modelcontextprotocol.io/specification/2025-11-25/server/tools

import { appendFileSync } from "node:fs";

type Json = Record<string, unknown>;
type Tool = {
  readonly name?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly annotations?: unknown;
};

const how = process.argv[2] ?? "well";
const notes = process.env["MCP_NOTES"];
const note = (text: string): void => {
  if (notes !== undefined) appendFileSync(notes, `${text}\n`);
};
const send = (message: Json): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
};
const text = (value: string): Json => ({ content: [{ type: "text", text: value }] });
const object = (properties: Json = {}, required: readonly string[] = []): Json => ({
  type: "object",
  properties,
  required,
});

const tools: Tool[] = [
  {
    name: "echo",
    description: "Says it again",
    inputSchema: object({ text: { type: "string" } }, ["text"]),
  },
  { name: "look", inputSchema: object(), annotations: { readOnlyHint: true } },
  { name: "wait", inputSchema: object() },
  { name: "ask", inputSchema: object() },
  { name: "crash", inputSchema: object() },
  { name: "huge", inputSchema: object() },
  { name: "flood", inputSchema: object() },
  { name: "show", inputSchema: object() },
  { name: "fail", inputSchema: object() },
  { name: "grow", inputSchema: object() },
];
const prompts: Json[] = [
  {
    name: "Review-It",
    description: "Review something",
    arguments: [{ name: "what", required: true }, { name: "depth" }],
  },
];
if (how === "badly")
  tools.push(
    {},
    { name: "no-schema" },
    { name: "text-schema", inputSchema: { type: "string" } },
    { name: "wrong-schema", inputSchema: "yes" },
    { name: "x".repeat(100), inputSchema: object() },
    { name: "a.b", inputSchema: object() },
    { name: "a b", inputSchema: object() },
    { name: "echo", inputSchema: object() },
    {
      name: "big-schema",
      inputSchema: object({ x: { type: "string", description: "y".repeat(100_000) } }),
    },
  );

if (how === "many")
  for (let n = 0; n < 300; n += 1) tools.push({ name: `tool-${n}`, inputSchema: object() });

/** The call that each question of ours belongs to. */
const questions = new Map<unknown, unknown>();
/** The calls that wait until somebody cancels them. */
const waiting = new Set<unknown>();

function call(id: unknown, name: unknown, args: Json, meta: Json): Json | undefined {
  switch (name) {
    case "echo":
      return text(`echo: ${String(args["text"])}`);
    case "look":
      return text(`environment: ${JSON.stringify(process.env)}`);
    case "wait":
      waiting.add(id);
      send({
        method: "notifications/progress",
        params: {
          progressToken: meta["progressToken"],
          progress: 1,
          total: 3,
          message: "still at it",
        },
      });
      return undefined;
    case "ask":
      questions.set("q", id);
      send({
        id: "q",
        method: "elicitation/create",
        params: {
          message: "Which account?",
          requestedSchema: object({ account: { type: "string" } }, ["account"]),
        },
      });
      return undefined;
    case "crash":
      process.stderr.write(`Error: out of memory at ${process.env["MCP_TOKEN"] ?? "nowhere"}\n`);
      process.exit(3);
      break;
    case "huge":
      return text(`begin ${"x".repeat(3_000_000)} end`);
    case "flood":
      process.stdout.write("z".repeat(20 * 1024 * 1024));
      return undefined;
    case "show":
      return {
        content: [
          { type: "image", mimeType: "image/png", data: "A".repeat(4_000) },
          { type: "audio", mimeType: "audio/wav", data: "AAAA" },
          { type: "resource", resource: { uri: "note://one", text: "```\nfenced\n```" } },
          { type: "resource", resource: { uri: "note://two", mimeType: "a/b", blob: "AAAA" } },
          { type: "resource_link", uri: "note://three", name: "three" },
          { type: "hologram", x: 1 },
        ],
      };
    case "fail":
      return { ...text("it is broken"), isError: true };
    case "grow":
      tools.push({ name: "grown", inputSchema: object() });
      prompts.push({ name: "grown-prompt" });
      send({ method: "notifications/tools/list_changed" });
      send({ method: "notifications/prompts/list_changed" });
      return text("grown");
    case "grown":
      return text("yes, grown");
    default:
      return undefined;
  }
  return undefined;
}

function answer(id: unknown, method: string, params: Json): Json | undefined {
  switch (method) {
    case "initialize":
      if (how === "mute") return undefined;
      return {
        protocolVersion: params["protocolVersion"],
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          ...(how === "plain" ? {} : { resources: {} }),
        },
        serverInfo: { name: "test", version: "1" },
      };
    case "tools/list":
      return { tools };
    case "prompts/list":
      return { prompts };
    case "prompts/get":
      return {
        messages: [
          {
            role: "user",
            content: { type: "text", text: `Review ${JSON.stringify(params["arguments"])}` },
          },
        ],
      };
    case "resources/list":
      return { resources: [{ uri: "note://one", name: "one", mimeType: "text/plain" }] };
    case "resources/read":
      return { contents: [{ uri: params["uri"], text: "the note" }] };
    case "tools/call":
      return call(
        id,
        params["name"],
        (params["arguments"] ?? {}) as Json,
        (params["_meta"] ?? {}) as Json,
      );
    default:
      return {};
  }
}

function receive(line: string): void {
  if (line.trim() === "") return;
  const { id, method, params, result } = JSON.parse(line) as {
    id?: unknown;
    method?: string;
    params?: Json;
    result?: unknown;
  };
  if (method === undefined) {
    const asked = questions.get(id);
    if (questions.delete(id))
      send({ id: asked, result: text(`answer: ${JSON.stringify(result)}`) });
    return;
  }
  if (id === undefined) {
    if (method === "notifications/cancelled" && waiting.delete(params?.["requestId"]))
      note("cancelled");
    return;
  }
  const answered = answer(id, method, params ?? {});
  if (answered !== undefined) send({ id, result: answered });
}

note(`started ${process.pid}`);
if (how === "stubborn") {
  process.on("SIGTERM", () => note("asked to end"));
  const helper = Bun.spawn(["sleep", "600"], { stdio: ["ignore", "ignore", "ignore"] });
  note(`started ${helper.pid}`);
  setInterval(() => undefined, 1_000);
}
if (how === "chatty") process.stdout.write("Welcome to the server!\n{\n\n");
if (how === "dying") {
  process.stderr.write(
    `\nError: no access with ${process.env["MCP_TOKEN"] ?? ""}\n    at somewhere\n`,
  );
  process.exit(1);
}
let rest = "";
for await (const chunk of process.stdin) {
  rest += String(chunk);
  const lines = rest.split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) receive(line);
}
note("left");
