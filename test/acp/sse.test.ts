// Event streams of the real program: what is lost, what comes back, what ends. Streams are read raw, as a browser does.

import { expect, test } from "bun:test";
import { must } from "../../src/lib/assert.ts";
import { isRecord } from "../../src/lib/json.ts";
import type { AgentOptions } from "../support/acp-client.ts";
import { type AgentProcess, spawnAgent } from "../support/agent-process.ts";
import {
  DONE,
  type FakeReply,
  type Scripted,
  chatEvent,
  chunks,
  fakeModel,
  hang,
  text,
  toolCall,
} from "../support/fake-model.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import {
  type EventReader,
  type HttpClient,
  INITIALIZE,
  type SseEvent,
  httpClient,
  isAnswer,
  until,
} from "../transports/http-harness.ts";

const TEST_MS = 60_000;

type Stage = Omit<HttpClient, "stream"> & {
  readonly agent: AgentProcess;
  readonly openStream: HttpClient["stream"];
  readonly id: string;
  readonly sessionId: string;
  readonly stream: EventReader;
  readonly again: (lastEventId?: string) => Promise<EventReader>;
  readonly prompt: (id: number | string, words?: string) => Promise<Response>;
  readonly project: TempDir;
};

/** The program, a connection with an open stream and a session on it. */
async function onStage(
  { replies, agent: options }: { replies: readonly Scripted[]; agent?: AgentOptions },
  body: (stage: Stage) => Promise<void>,
): Promise<void> {
  await using project = await tempDir({ "main.tf": "# one\n" });
  await using model = await fakeModel(replies);
  await using agent = await spawnAgent("http", { ...options, env: model.env() });
  const http = httpClient(agent.url);
  const id = await http.connect();
  const stream = await http.stream(id);
  await http.post(id, { id: "new", method: "session/new", params: { cwd: project.path } });
  const sessionId = await sessionOf(stream);
  await body({
    ...http,
    agent,
    id,
    sessionId,
    openStream: http.stream,
    stream,
    again: (lastEventId) =>
      http.stream(id, lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId }),
    prompt: (promptId, words = "Go") =>
      http.post(id, {
        id: promptId,
        method: "session/prompt",
        params: { sessionId, prompt: [{ type: "text", text: words }] },
      }),
    project,
  });
}

async function sessionOf(stream: EventReader): Promise<string> {
  const { data } = must((await stream.until(isAnswer("new"))).at(-1));
  const result = isRecord(data) && isRecord(data["result"]) ? data["result"] : {};
  return String(result["sessionId"]);
}

const textOf = ({ data }: SseEvent): string => {
  const update = isRecord(data) && isRecord(data["params"]) ? data["params"]["update"] : undefined;
  const content = isRecord(update) ? update["content"] : undefined;
  return isRecord(content) ? String(content["text"]) : "";
};

async function metric({ origin }: Pick<HttpClient, "origin">, name: string): Promise<number> {
  const lines = (await (await fetch(`${origin}/metrics`)).text()).split("\n");
  const line = must(
    lines.find((one) => one.startsWith(`iac_code_${name} `)),
    `No ${name}`,
  );
  return Number(line.split(" ")[1]);
}

const metricIs = async (
  client: Pick<HttpClient, "origin">,
  name: string,
  value: number,
): Promise<boolean> => (await metric(client, name)) === value;

const EVENTS = 10_000;
const RECONNECTS = 100;
const ANSWERS = 5;
const PIECES = EVENTS / ANSWERS;

/** One model answer of `PIECES` events: text and thought in turns, since every border sends what it holds. */
function pieces(answer: number): FakeReply {
  const list = Array.from({ length: PIECES }, (_, n) => {
    const piece = `${answer * PIECES + n};`;
    return chatEvent(n % 2 === 0 ? { content: piece } : { reasoning_content: piece });
  });
  const call = {
    index: 0,
    id: `c${answer}`,
    function: { name: "read_file", arguments: '{"path":"main.tf"}' },
  };
  const isLast = answer === ANSWERS - 1;
  const end = isLast ? chatEvent({}, "stop") : chatEvent({ tool_calls: [call] }, "tool_calls");
  return chunks([...list, end, DONE]);
}
const everyPiece = Array.from({ length: EVENTS }, (_, n) => `${n};`);

test.concurrent(
  "a turn of 10,000 events over 100 lost streams arrives without a gap and without a double",
  () => {
    const seen: SseEvent[] = [];
    // No answer runs further ahead of the client than the ring is long.
    const replies = Array.from({ length: ANSWERS }, (_, answer) => async () => {
      await until(() => seen.length >= (answer - 1) * PIECES, TEST_MS);
      return pieces(answer);
    });
    return onStage({ replies }, async ({ prompt, stream, again }) => {
      await prompt(2);
      let reader = stream;
      let lost = 0;
      for (;;) {
        const event = must(await reader.next(), "The stream ended by itself");
        seen.push(event);
        if (isAnswer(2)(event)) break;
        if (lost === RECONNECTS || seen.length < (lost + 1) * (EVENTS / RECONNECTS)) continue;
        reader.drop();
        reader = await again(event.id);
        lost += 1;
      }
      expect(seen.map(({ event }) => event)).not.toContain("resync");
      const ids = seen.map(({ id }) => Number(id));
      expect(ids).toEqual(ids.map((_, index) => (ids[0] ?? 0) + index));
      expect(Array.from(seen.map(textOf).join("").match(/\d+;/g) ?? [])).toEqual(everyPiece);
      expect(lost).toBe(RECONNECTS);
    });
  },
  TEST_MS,
);

for (const lastEventId of ["junk", "-1", "9999999", "1e3", "99999999999999999999"]) {
  test.concurrent(
    `a Last-Event-ID of ${lastEventId} opens with one resync and goes on live`,
    () =>
      onStage({ replies: [text("Live.")] }, async ({ again, prompt }) => {
        const stream = await again(lastEventId);
        expect(await stream.next()).toMatchObject({ event: "resync", data: { oldest: 1 } });
        await prompt(3);
        const events = await stream.until(isAnswer(3));
        expect(events.map(textOf).join("")).toContain("Live.");
        expect(events.map(({ event }) => event)).not.toContain("resync");
      }),
    TEST_MS,
  );
}

test.concurrent(
  "what fell out of the ring is told by one resync, and the session loads whole",
  () =>
    onStage({ replies: [0, 1, 2, 3, 4].map(pieces) }, async (stage) => {
      const { stream, again, post, id, sessionId, project } = stage;
      await stage.prompt(2);
      const first = must(await stream.next());
      stream.drop();
      await until(() => metricIs(stage, "requests_in_flight", 0), TEST_MS);
      const late = await again(first.id);
      expect(await late.next()).toMatchObject({ event: "resync" });
      // What is still held comes first, up to the answer of the turn.
      await late.until(isAnswer(2));
      const params = { sessionId, cwd: project.path, mcpServers: [] };
      await post(id, { id: 4, method: "session/load", params });
      const events = await late.until(isAnswer(4));
      expect(events.map(({ event }) => event)).not.toContain("resync");
      // A stored message is whole: first what was thought, then what was said.
      const numbers = events.map(textOf).join("").match(/\d+;/g) ?? [];
      expect(numbers.map(Number.parseFloat).toSorted((a, b) => a - b)).toEqual(
        everyPiece.map(Number.parseFloat),
      );
    }),
  TEST_MS,
);

test.concurrent(
  "a newer GET ends the older stream and takes what comes",
  () =>
    onStage({ replies: [text("New.")] }, async ({ stream, again, prompt }) => {
      const newer = await again();
      await stream.until(() => false);
      await prompt(3);
      expect((await newer.until(isAnswer(3))).map(textOf).join("")).toContain("New.");
      expect(stream.text()).not.toContain("New.");
    }),
  TEST_MS,
);

const write = toolCall("write_file", { path: "made.tf", content: "made" });

test.concurrent(
  "the grace denies an open question, ends the connection, and the turn goes on and is stored",
  () =>
    onStage(
      { replies: [write, text("Not made.")], agent: { args: ["--grace", "1s"] } },
      async (stage) => {
        const { stream, post, id, sessionId, project } = stage;
        await stage.prompt(2);
        await stream.until(
          ({ data }) => isRecord(data) && data["method"] === "session/request_permission",
        );
        stream.drop();
        await until(
          async () => (await post(id, { method: "session/cancel", params: {} })).status === 400,
        );
        await until(() => metricIs(stage, "running", 0));
        const second = await stage.connect();
        const params = { sessionId, cwd: project.path, mcpServers: [] };
        await post(second, { id: 2, method: "session/load", params });
        const events = await (await stage.openStream(second)).until(isAnswer(2));
        expect(events.map(textOf).join("")).toContain("Not made.");
        expect(await Bun.file(project.file("made.tf")).exists()).toBe(false);
      },
    ),
  TEST_MS,
);

test.concurrent(
  "SIGTERM lets a running turn end, then ends with 0",
  () => {
    const begin = Promise.withResolvers<void>();
    const replies = [
      text("Begun and ended.", { hold: begin.promise, deltas: ["Begun ", "and ended."] }),
    ];
    return onStage({ replies }, async ({ agent, stream, prompt, post, id, request }) => {
      await prompt(2);
      await stream.until((event) => textOf(event).includes("Begun"));
      agent.child.kill("SIGTERM");
      await until(async () => (await post(id, { id: 9, method: "session/list" })).status === 503);
      expect((await request("POST", {}, INITIALIZE)).status).toBe(503);
      begin.resolve();
      const rest = await stream.until(isAnswer(2));
      expect(rest.at(-1)?.data).toMatchObject({ result: { stopReason: "end_turn" } });
      expect(await stream.next()).toBeUndefined();
      expect(await agent.child.exited).toBe(0);
    });
  },
  TEST_MS,
);

test.concurrent(
  "a turn that outlives --drain is cancelled, answered and ends the program with 0",
  () =>
    onStage({ replies: [hang("mid")], agent: { args: ["--drain", "500ms"] } }, async (stage) => {
      await stage.prompt(2);
      await stage.stream.until((event) => textOf(event).includes("Begun"));
      stage.agent.child.kill("SIGTERM");
      const rest = await stage.stream.until(isAnswer(2));
      expect(rest.at(-1)?.data).toMatchObject({ result: { stopReason: "cancelled" } });
      expect(await stage.agent.child.exited).toBe(0);
    }),
  TEST_MS,
);

test.concurrent(
  "/ready, /health and /metrics tell of connections, sessions, turns, tokens and bytes",
  () =>
    onStage({ replies: [text("Counted.", { usage: { input: 70, output: 7 } })] }, async (stage) => {
      await stage.prompt(2);
      await stage.stream.until(isAnswer(2));
      const expected = { connections: 1, streams: 1, sessions: 1, running: 0, turns: 1 };
      for (const [name, value] of Object.entries({
        ...expected,
        requests_in_flight: 0,
        tokens: 77,
      }))
        expect([name, await metric(stage, name)]).toEqual([name, value]);
      expect(await metric(stage, "queue_bytes")).toBeGreaterThan(0);
      expect((await fetch(`${stage.origin}/ready`)).status).toBe(200);
      expect(await (await fetch(`${stage.origin}/health`)).json()).toEqual({ status: "ok" });
    }),
  TEST_MS,
);
