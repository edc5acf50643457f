// The real program behind what stands between it and its clients: a buffering proxy, HTTP/2.

import { expect, test } from "bun:test";
import { must } from "../../src/lib/assert.ts";
import { isRecord } from "../../src/lib/json.ts";
import { spawnAgent } from "../support/agent-process.ts";
import { fakeModel, text } from "../support/fake-model.ts";
import { startNginx } from "../support/nginx.ts";
import { tempDir } from "../support/temp-dir.ts";
import {
  INITIALIZE,
  type SseEvent,
  httpClient,
  isAnswer,
  readEvents,
} from "../transports/http-harness.ts";

const TEST_MS = 60_000;
/** Longer than the proxy waits for a byte. */
const QUIET_MS = 17_000;

const resultOf = ({ data }: SseEvent): Record<string, unknown> =>
  isRecord(data) && isRecord(data["result"]) ? data["result"] : {};

test.concurrent.skipIf(Bun.which("nginx") === null)(
  "a buffering nginx with a read timeout of 15 s passes a quiet turn of the program (skipped without nginx)",
  async () => {
    await using dir = await tempDir();
    // The model thinks for longer than the proxy's patience: only pings cross meanwhile.
    const slow = async () => {
      await Bun.sleep(QUIET_MS);
      return text("Finally.");
    };
    await using model = await fakeModel([slow]);
    await using agent = await spawnAgent("http", { env: model.env() });
    const init = (method: string, headers: Record<string, string>, body?: object) => ({
      method,
      headers: { "Content-Type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await using nginx = await startNginx(dir, {
      origin: new URL(agent.url).origin,
      readTimeout: "15s",
      first: init("POST", {}, INITIALIZE),
    });
    const ask = (...request: Parameters<typeof init>) => nginx.fetch(init(...request));
    const id = must((await ask("POST", {}, INITIALIZE)).headers.get("Acp-Connection-Id"));
    const headers = { "Acp-Connection-Id": id, "Accept-Encoding": "gzip" };
    const stream = readEvents(await ask("GET", headers), () => undefined);
    await stream.untilText(": connected");
    const say = (message: object) => ask("POST", headers, { jsonrpc: "2.0", ...message });
    await say({ id: 2, method: "session/new", params: { cwd: dir.path } });
    const { sessionId } = resultOf(must((await stream.until(isAnswer(2))).at(-1)));
    const prompt = [{ type: "text", text: "Think" }];
    await say({ id: 3, method: "session/prompt", params: { sessionId, prompt } });
    const events = await stream.until(isAnswer(3));
    expect(resultOf(must(events.at(-1)))).toMatchObject({ stopReason: "end_turn" });
    expect(stream.text()).toContain("Finally.");
    expect(stream.text()).toContain(": ping\n\n");
  },
  TEST_MS,
);

test.concurrent.skipIf(Bun.which("curl") === null)(
  "--http2 serves a turn over HTTP/2",
  async () => {
    await using project = await tempDir();
    await using model = await fakeModel([text("Twofold.")]);
    await using agent = await spawnAgent("http", { env: model.env(), args: ["--http2"] });
    const http = httpClient(agent.url);
    const id = await http.connect();
    const flags = ["-sN", "--http2-prior-knowledge", "-w", "%{http_version}"];
    await using curl = Bun.spawn(["curl", ...flags, "-H", `Acp-Connection-Id: ${id}`, http.url], {
      stdout: "pipe",
    });
    const reader = curl.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let output = "";
    const untilOutput = async (part: RegExp): Promise<string> => {
      for (;;) {
        const found = part.exec(output)?.[1];
        if (found !== undefined) return found;
        const { value, done } = await reader.read();
        if (done) throw new Error(`The stream ended without ${String(part)}:\n${output}`);
        output += value;
      }
    };
    await http.post(id, { id: 2, method: "session/new", params: { cwd: project.path } });
    const sessionId = await untilOutput(/"sessionId":"([^"]+)"/);
    const prompt = [{ type: "text", text: "Hi" }];
    await http.post(id, { id: 3, method: "session/prompt", params: { sessionId, prompt } });
    expect(await untilOutput(/"stopReason":"(\w+)"/)).toBe("end_turn");
    expect(output).toContain("Twofold.");
    await http.request("DELETE", { "Acp-Connection-Id": id });
    expect(await untilOutput(/\n\n(2)$/)).toBe("2");
  },
  TEST_MS,
);
