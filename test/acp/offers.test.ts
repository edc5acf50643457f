// Plans, questions, commands of files, skills and /status, through the program.

import { expect } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type AcpClient, type Json, answerPermissions } from "../support/acp-client.ts";
import { text, toolCall } from "../support/fake-model.ts";
import { verifies } from "./verifies.ts";

const toldLast = (messages: readonly Json[] | undefined) => String(messages?.at(-1)?.["content"]);
const plans = (client: AcpClient, sessionId: string) =>
  client.updates(sessionId).filter(({ sessionUpdate }) => sessionUpdate === "plan");

const step = (content: string, status: string) => ({ content, status });
const shown = (content: string, status: string) => ({ content, status, priority: "medium" });

verifies(
  "plan/update",
  {
    replies: [
      toolCall("todo", { entries: [step("Look", "in_progress"), step("Change", "pending")] }),
      toolCall("todo", { entries: [step("Look", "completed"), step("Change", "in_progress")] }),
      toolCall("todo", { entries: [{ content: "", status: "lost" }] }),
      text("Planned."),
    ],
  },
  async ({ client, project, model, another }) => {
    const sessionId = await client.newSession(project.path);
    const asked = answerPermissions(client, "reject_once");
    await client.prompt(sessionId, "Plan");
    expect(asked).toEqual([]);
    const first = { entries: [shown("Look", "in_progress"), shown("Change", "pending")] };
    const last = { entries: [shown("Look", "completed"), shown("Change", "in_progress")] };
    expect(plans(client, sessionId)).toMatchObject([first, last]);
    expect(toldLast(model.requests[2]?.messages)).toBe("[x] Look\n[>] Change");
    expect(toldLast(model.requests[3]?.messages)).toContain("Invalid arguments for todo");
    const later = await another();
    await later.initialize();
    await later.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
    expect(plans(later, sessionId)).toMatchObject([last]);
  },
);

const QUESTION = { question: "Which environment?", options: ["staging", "production"] };
const FIELDS = {
  question: "Variables have no values.",
  fields: [
    { name: "region", description: "Where to build", default: "eu-1" },
    { name: "size", type: "number", default: "3" },
    { name: "public", type: "boolean", required: false },
  ],
};

verifies(
  "ask/form",
  {
    replies: [
      toolCall("ask_user", QUESTION),
      toolCall("ask_user", FIELDS),
      toolCall("ask_user", { question: "What for?" }),
      toolCall("ask_user", QUESTION),
      text("I see."),
    ],
  },
  async ({ client, project, model }) => {
    const asked: Json[] = [];
    const answers: unknown[] = [
      { action: "accept", content: { answer: "staging" } },
      { action: "accept", content: { region: "eu-2", size: 5 } },
      { action: "decline" },
      "nonsense",
    ];
    client.handlers["elicitation/create"] = (params) => {
      asked.push(params);
      return answers.shift();
    };
    const sessionId = await client.newSession(project.path, { elicitation: { form: {} } });
    await client.request("session/set_mode", { sessionId, modeId: "auto" });
    await client.prompt(sessionId, "Ask");
    const [choice, fields] = asked;
    expect(choice).toMatchObject({
      sessionId,
      mode: "form",
      message: "Which environment?",
      toolCallId: client.toolCalls(sessionId)[0]?.["toolCallId"],
      requestedSchema: {
        properties: { answer: { type: "string", enum: ["staging", "production"] } },
        required: ["answer"],
      },
    });
    expect(fields?.["requestedSchema"]).toEqual({
      type: "object",
      properties: {
        region: { type: "string", title: "region", description: "Where to build", default: "eu-1" },
        size: { type: "number", title: "size", default: 3 },
        public: { type: "boolean", title: "public" },
      },
      required: ["region", "size"],
    });
    const told = model.requests.slice(1).map(({ messages }) => toldLast(messages));
    expect(told.slice(0, 2)).toEqual(["answer: staging", "region: eu-2\nsize: 5"]);
    expect(told[2]).toStartWith("The user did not answer.");
    expect(told[3]).toStartWith("The user did not answer.");
    expect(client.toolCalls(sessionId).map(({ title, status }) => [title, status])).toEqual([
      ["Ask: Which environment?", "completed"],
      ["Ask: Variables have no values.", "completed"],
      ["Ask: What for?", "failed"],
      ["Ask: Which environment?", "failed"],
    ]);
  },
);

verifies(
  "ask/options",
  {
    replies: [
      toolCall("ask_user", QUESTION),
      toolCall("ask_user", QUESTION),
      toolCall("ask_user", QUESTION),
      text("I see."),
      toolCall("ask_user", QUESTION),
    ],
  },
  async ({ client, project, model }) => {
    const asked: Json[] = [];
    const answers: unknown[] = [
      { outcome: { outcome: "selected", optionId: "answer_2" } },
      { outcome: "denied" },
      { outcome: { outcome: "selected", optionId: "allow_once" } },
      { outcome: { outcome: "cancelled" } },
    ];
    client.handlers["session/request_permission"] = (params) => {
      asked.push(params);
      return answers.shift();
    };
    const sessionId = await client.newSession(project.path);
    await client.request("session/set_mode", { sessionId, modeId: "auto" });
    await client.prompt(sessionId, "Ask");
    expect(asked[0]).toMatchObject({
      toolCall: { title: "Which environment?" },
      options: [
        { optionId: "answer_1", name: "staging", kind: "allow_once" },
        { optionId: "answer_2", name: "production", kind: "allow_once" },
        { optionId: "no_answer", name: "None of these", kind: "reject_once" },
      ],
    });
    const told = model.requests.slice(1, 4).map(({ messages }) => toldLast(messages));
    expect(told[0]).toBe("answer: production");
    expect(told[1]).toStartWith("The user did not answer.");
    expect(told[2]).toStartWith("The user did not answer.");
    expect((await client.prompt(sessionId, "Ask again"))["stopReason"]).toBe("cancelled");
  },
);

verifies(
  "ask/text",
  { replies: [toolCall("ask_user", FIELDS), text("Which region?")] },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    const asked = answerPermissions(client, "allow_once");
    await client.prompt(sessionId, "Ask");
    expect(asked).toEqual([]);
    expect(toldLast(model.requests[1]?.messages)).toContain("cannot show a form");
  },
);

/** Files of the user's own folder, `$IACCODE_HOME`. */
async function writeHome(client: AcpClient, files: Readonly<Record<string, string>>) {
  for (const [name, content] of Object.entries(files)) {
    const path = join(client.process.home, ".iac-code", name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

async function untilAnnounced(client: AcpClient, sessionId: string): Promise<Json[]> {
  const update = await client.untilUpdate(
    sessionId,
    ({ sessionUpdate }) => sessionUpdate === "available_commands_update",
  );
  return update["availableCommands"] as Json[];
}

verifies(
  "command/files",
  {
    replies: [text("Looked."), text("Deployed.")],
    files: {
      ".iac-code/commands/audit.md":
        "---\ndescription: Audit a folder\nargument-hint: <folder>\n---\nAudit $1 !`touch ran` @main.tf",
      ".iac-code/commands/help.md": "Evil.",
      "main.tf": "# the file\n",
    },
  },
  async ({ client, project, model, another }) => {
    const sessionId = await client.newSession(project.path);
    await writeHome(client, { "commands/deploy.md": "Plan a deploy of $ARGUMENTS." });
    const commands = await untilAnnounced(client, sessionId);
    expect(commands).toContainEqual({
      name: "audit",
      description: "Audit a folder",
      input: { hint: "<folder>" },
    });
    await client.prompt(sessionId, "/audit network");
    expect(toldLast(model.requests[0]?.messages)).toBe("Audit network !`touch ran` @main.tf");
    expect(await Bun.file(project.file("ran")).exists()).toBe(false);
    await client.prompt(sessionId, "/deploy the api");
    expect(toldLast(model.requests[1]?.messages)).toBe("Plan a deploy of the api.");
    await client.prompt(sessionId, "/help");
    expect(client.text(sessionId)).toContain("- `/audit <folder>` – Audit a folder");
    expect(client.text(sessionId)).not.toContain("Evil.");
    const later = await another();
    await later.initialize();
    await later.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
    expect(later.text(sessionId, "user_message_chunk")).toContain("/audit network");
  },
);

verifies(
  "command/skills",
  {
    replies: [toolCall("skill", { name: "rotate" }), text("Rotated."), text("Again.")],
    files: {
      ".iac-code/skills/rotate/SKILL.md":
        "---\nname: rotate\ndescription: Rotate access keys\n---\nFirst list the keys.",
    },
  },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    const asked = answerPermissions(client, "reject_once");
    expect(await untilAnnounced(client, sessionId)).toContainEqual(
      expect.objectContaining({ name: "rotate", description: "Rotate access keys" }),
    );
    await client.prompt(sessionId, "Rotate the keys");
    const tools = model.requests[0]?.body["tools"] as {
      function: { name: string; description: string };
    }[];
    const skill = tools.find((tool) => tool.function.name === "skill");
    expect(skill?.function.description).toContain("- rotate: Rotate access keys");
    expect(toldLast(model.requests[1]?.messages)).toBe("First list the keys.");
    await client.prompt(sessionId, "/rotate of the CI user");
    expect(toldLast(model.requests[2]?.messages)).toBe(
      "Follow the skill rotate:\n\nFirst list the keys.\n\nThe task: of the CI user",
    );
    expect(asked).toEqual([]);
  },
);

verifies(
  "command/status",
  {
    config: { instructions: "Be brief.", mcpServers: { gone: { command: "no-such-program" } } },
    files: { "AGENTS.md": "Use modules.", "main.tf": "" },
  },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    await client.prompt(sessionId, "/nothing");
    await client.prompt(sessionId, "/status");
    const said = client.text(sessionId);
    expect(said).toContain(project.file("AGENTS.md"));
    expect(said).toContain(join(client.process.home, ".iac-code", "config.json"));
    expect(said).toContain("- **MCP server gone (stdio)**: failed: the command no-such-program");
    expect(model.requests).toEqual([]);
  },
);
