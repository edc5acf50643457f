// Every row of the table in docs/http.md, sent to the program. The two rows that take 30 s and 60 s in the program are
// sent to the same transport with shorter limits.

import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type AgentProcess, spawnAgent } from "../support/agent-process.ts";
import { AcpClient } from "../support/acp-client.ts";
import { fakeModel, hang } from "../support/fake-model.ts";
import {
  HTTP_ANSWERS,
  INITIALIZE,
  type ServerState,
  type Target,
} from "../support/http-answers.ts";
import { HTTP_DOCS_PATH, renderHttpDocs } from "../support/http-docs.ts";
import { tempDir } from "../support/temp-dir.ts";
import { serve } from "../transports/http-harness.ts";

const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());

async function connect(url: string): Promise<Target> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(INITIALIZE),
  });
  return {
    url,
    origin: new URL(url).origin,
    connectionId: response.headers.get("Acp-Connection-Id") ?? "",
  };
}

const start = async (
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<AgentProcess> => resources.use(await spawnAgent("http", { args, env }));

/** A server that was told to stop and waits for a turn. */
async function drain(): Promise<Target> {
  const project = resources.use(await tempDir());
  const model = resources.use(await fakeModel([hang("mid")]));
  const agent = await start(["--drain", "30s"], model.env());
  const target = await connect(agent.url);
  const client = resources.use(await AcpClient.open("http", agent));
  const sessionId = await client.newSession(project.path);
  client.prompt(sessionId, "Go").catch(() => undefined);
  await client.until(() => client.text(sessionId).includes("Begun"), "the turn");
  agent.child.kill("SIGTERM");
  await client.until(() => true);
  while ((await fetch(`${target.origin}/ready`)).status === 200);
  // The turn would keep the test waiting for the whole drain.
  resources.defer(() => client.notify("session/cancel", { sessionId }));
  return target;
}

const make: Readonly<Record<ServerState, () => Promise<Target>>> = {
  open: async () => connect((await start(["--max-body", "100k"])).url),
  token: async () => connect((await start([], { IACCODE_ACP_HTTP_TOKEN: "s3cret" })).url),
  full: async () => connect((await start(["--max-connections", "1"])).url),
  draining: drain,
  impatient: async () => {
    const served = resources.use(await serve({ initializeMs: 50, bodyIdleMs: 50 }));
    return { url: served.url, origin: served.origin, connectionId: "" };
  },
};
const servers = new Map<ServerState, Promise<Target>>();
const targetOf = (state: ServerState): Promise<Target> => {
  const known = servers.get(state) ?? make[state]();
  servers.set(state, known);
  return known;
};

for (const { state, request, status, code, headers = {}, send } of HTTP_ANSWERS) {
  test(`http/answers: ${request} is ${status}`, async () => {
    const response = await send(await targetOf(state));
    expect(response.status).toBe(status);
    for (const [name, value] of Object.entries(headers)) {
      if (typeof value === "string") expect(response.headers.get(name)).toBe(value);
      else expect(response.headers.get(name)).toMatch(value);
    }
    if (code === undefined) return void response.body?.cancel();
    const body: unknown = await response.json();
    expect(body).toMatchObject({ jsonrpc: "2.0", error: { code, message: expect.any(String) } });
    expect(JSON.stringify(body)).not.toMatch(/\.ts\b|node_modules|\bat [A-Za-z]+ \(/);
  });
}

test("docs/http.md says what these tests send", () => {
  expect(readFileSync(HTTP_DOCS_PATH, "utf8")).toBe(renderHttpDocs());
});
