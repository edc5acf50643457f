// The compiled program at its edges: the stories of its process, and the SDK's WebSocket client.
// Run by .ci/run after the build: bun test ./test/binary/wire.binary.ts

import { expect, test } from "bun:test";
import { join } from "node:path";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { spawnAgent } from "../support/agent-process.ts";
import { STORIES } from "../support/process-stories.ts";
import { converse } from "../support/sdk-conversation.ts";

const COMMAND = [join(import.meta.dir, "../../dist/iac-code")];
const TEST_MS = 60_000;

for (const { name, run } of STORIES) test.concurrent(name, () => run(COMMAND), TEST_MS);

test("the SDK's WebSocket client drives a whole turn", () =>
  converse(async (env) => {
    const agent = await spawnAgent("http", { command: COMMAND, env });
    return { agent, stream: createWebSocketStream(agent.url.replace(/^http/, "ws")) };
  }));

test("an address beyond loopback without a token is refused with a clear message", async () => {
  await using child = Bun.spawn(
    [...COMMAND, "acp", "--transport", "http", "--host", "0.0.0.0", "--port", "0"],
    { stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  );
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, out]).toEqual([1, ""]);
  expect(err).toStartWith("iac-code: Cannot listen on 0.0.0.0 without a token");
});
