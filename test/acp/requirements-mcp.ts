// The rules of MCP servers, commands of files, plans and questions, by id; part of requirements.ts.

import type { Requirement } from "./requirement.ts";

const PAGE = "https://agentclientprotocol.com/protocol";

export const MCP_REQUIREMENTS = {
  "mcp/tools": {
    source: `contract 2, 5, ${PAGE}/session-setup#mcp-servers`,
    rule: "tools of a client's MCP server are the model's, ask like any other, and show their progress",
  },
  "mcp/plan-mode": {
    source: "contract 7",
    rule: "plan mode refuses an MCP tool that does not say that it only reads; deny rules hold for all",
  },
  "mcp/methods": {
    source: "contract 3, W5",
    rule: "MCP servers given at load, resume and fork count, and those not given any more end",
  },
  "mcp/slow": {
    source: "L9",
    rule: "slow and dead MCP servers block no session, delay the first turn by seconds, and are named in it",
  },
  "mcp/crash": {
    source: "contract 5, X5",
    rule: "an MCP server that dies during a call fails that call and is started again",
  },
  "mcp/cancel": {
    source: "contract 6",
    rule: "cancel during an MCP call answers cancelled within a second, and the server is told",
  },
  "mcp/changes": {
    source:
      "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#list-changed-notification",
    rule: "tools and prompts that a server adds are used in the same turn and announced",
  },
  "mcp/prompt": {
    source: `${PAGE}/slash-commands`,
    rule: "a server's prompt is a slash command whose text goes to the model",
  },
  "mcp/secrets": {
    source: "contract 1, 9",
    rule: "env of an MCP server is in no update, log line or stored row, and its process ends with the session",
  },
  "mcp/end": {
    source: "contract 6, X1",
    rule: "when the program is told to end, MCP servers that do not want to end with all they started",
  },
  "mcp/subagent": {
    source: "contract 5, P1",
    rule: "a sub-agent has the MCP tools, visible under its parent and asked about like the parent's",
  },
  "mcp/config": {
    source: "contract 1",
    rule: "MCP servers of the user's config are in every session, those of a project's config in none",
  },
  "plan/update": {
    source: `contract 4.4, ${PAGE}/agent-plan`,
    rule: "the model's plan is sent as plan updates, and a load shows the last one",
  },
  "ask/form": {
    source: `${PAGE}/v1/draft/elicitation`,
    rule: "a question is a form where the client has forms; its answer goes to the model",
  },
  "ask/server": {
    source: "https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation",
    rule: "a question of an MCP server during a call is a form that says who asks; its answer goes to the server",
  },
  "ask/options": {
    source: `${PAGE}/tool-calls#requesting-permission`,
    rule: "without forms a question with options is put as options, whatever the mode",
  },
  "ask/text": {
    source: "contract 5",
    rule: "without forms and options the model is told to ask in words, and nobody is asked",
  },
  "command/files": {
    source: `${PAGE}/slash-commands`,
    rule: "Markdown files of the user and the project are announced and go to the model with their arguments",
  },
  "command/skills": {
    source: `${PAGE}/slash-commands`,
    rule: "skills are announced, named to the model and loaded on demand",
  },
  "command/status": {
    source: "contract 1",
    rule: "/status names the instruction files and the MCP servers with their state",
  },
} as const satisfies Readonly<Record<string, Requirement>>;
