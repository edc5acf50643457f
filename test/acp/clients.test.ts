// Clients that are not ours: the SDK's three streams, the Python SDK, and the examples of the protocol document.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { ndJsonStream } from "@agentclientprotocol/sdk/unstable";
import { spawnAgent } from "../support/agent-process.ts";
import { fakeModel, text, toolCall } from "../support/fake-model.ts";
import { PROGRAM } from "../support/program.ts";
import { converse } from "../support/sdk-conversation.ts";
import { tempDir } from "../support/temp-dir.ts";

const TEST_MS = 60_000;

test.concurrent(
  "the SDK's ndJsonStream drives a whole turn",
  () =>
    converse(async (env) => {
      const agent = await spawnAgent("stdio", { env });
      const sink = new WritableStream<Uint8Array>({
        write: async (bytes) => {
          void agent.child.stdin.write(bytes);
          await agent.child.stdin.flush();
        },
      });
      return { agent, stream: ndJsonStream(sink, agent.child.stdout) };
    }),
  TEST_MS,
);

test.concurrent(
  "the SDK's createHttpStream drives a whole turn",
  () =>
    converse(async (env) => {
      const agent = await spawnAgent("http", { env: { ...env, IACCODE_ACP_HTTP_TOKEN: "t0ken" } });
      const headers = { Authorization: "Bearer t0ken" };
      return { agent, stream: createHttpStream(agent.url, { headers }) };
    }),
  TEST_MS,
);

test.concurrent(
  "the SDK's createWebSocketStream drives a whole turn",
  () =>
    converse(async (env) => {
      const agent = await spawnAgent("http", { env });
      return { agent, stream: createWebSocketStream(agent.url.replace(/^http/, "ws")) };
    }),
  TEST_MS,
);

/** Where the Python SDK is installed: `ACP_PYTHON`, or the python3 of the path. */
const PYTHON = process.env["ACP_PYTHON"] ?? "python3";
const hasPythonSdk =
  Bun.which(PYTHON) !== null &&
  Bun.spawnSync([PYTHON, "-c", "import acp"], { stdout: "ignore", stderr: "ignore" }).exitCode ===
    0;

test.concurrent.skipIf(!hasPythonSdk)(
  "the Python SDK drives a whole turn (skipped without the package agent-client-protocol)",
  async () => {
    await using project = await tempDir({ "main.tf": "# one\n" });
    await using model = await fakeModel([
      toolCall("write_file", { path: "made.tf", content: "made\n" }),
      text("Made."),
    ]);
    const script = join(import.meta.dir, "../support/python-client.py");
    const program = [...PROGRAM, "acp"];
    await using child = Bun.spawn([PYTHON, script, project.path, ...program], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: project.path,
        IACCODE_HOME: join(project.path, ".iac-code"),
        ...model.env(),
      },
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect(err).not.toContain("Traceback");
    expect(JSON.parse(out)).toEqual({
      protocol: 1,
      stop: "end_turn",
      asked: ["edit"],
      text: "Made.",
      loaded: "Made.",
    });
    expect(await Bun.file(project.file("made.tf")).text()).toBe("made\n");
    model.assertValid();
  },
  TEST_MS,
);
