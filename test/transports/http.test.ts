// The table of the HTTP transport: which request gets which answer.

import { expect, test } from "bun:test";
import { connect } from "node:net";
import { must } from "../../src/lib/assert.ts";
import { tempDir } from "../support/temp-dir.ts";
import { INITIALIZE, isAnswer, serve, until } from "./http-harness.ts";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const errorOf = async (response: Response) => {
  const body: unknown = await response.json();
  return body;
};
const withError = (code: number, id: unknown = null) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message: expect.any(String) },
});

test("POST initialize answers 200 with the JSON-RPC response and a UUIDv4 connection id", async () => {
  await using served = await serve();
  const response = await served.request("POST", {}, INITIALIZE);
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toStartWith("application/json");
  expect(response.headers.get("Acp-Connection-Id")).toMatch(UUID_V4);
  expect(await response.json()).toEqual({
    jsonrpc: "2.0",
    id: 1,
    result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] },
  });
});

test("POST of anything else answers 202 and empty; the answer comes on the stream", async () => {
  await using served = await serve();
  const id = await served.connect();
  const stream = await served.stream(id);
  const response = await served.post(id, { id: "a", method: "echo", params: { x: 1 } });
  expect([response.status, await response.text()]).toEqual([202, ""]);
  expect(await stream.next()).toEqual({
    event: "message",
    id: "1",
    data: { jsonrpc: "2.0", id: "a", result: { x: 1 } },
  });
  expect((await served.post(id, { method: "session/cancel" })).status).toBe(202);
  expect((await served.post(id, { id: "nobody", result: {} })).status).toBe(202);
});

test("the walk-through of the documents works with curl, word for word", async () => {
  await using served = await serve();
  const script = `
CONN_ID=$(curl -s -D - -X POST $BASE/acp \\
  -H "Content-Type: application/json" \\
  -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"capabilities":{},"clientInfo":{"name":"curl","version":"1.0"}}}' \\
  | grep -i 'acp-connection-id' | awk '{print $2}' | tr -d '\\r')

echo "Connection ID: $CONN_ID"

curl -s -N $BASE/acp \\
  -H "Acp-Connection-Id: $CONN_ID" > events.txt &
SSE_PID=$!

curl -s -w '%{http_code}\\n' -X POST $BASE/acp \\
  -H "Content-Type: application/json" \\
  -H "Acp-Connection-Id: $CONN_ID" \\
  -d '{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/workspace"}}'
until grep -q sessionId events.txt; do :; done
SESSION=$(sed -n 's/.*"sessionId":"\\([^"]*\\)".*/\\1/p' events.txt)
curl -s -w '%{http_code}\\n' -X POST $BASE/acp \\
  -H "Content-Type: application/json" \\
  -H "Acp-Connection-Id: $CONN_ID" \\
  -d '{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"'$SESSION'","prompt":[{"type":"text","text":"Hello"}]}}'
until grep -q end_turn events.txt; do :; done
curl -s -w '%{http_code}\\n' -X DELETE $BASE/acp \\
  -H "Acp-Connection-Id: $CONN_ID"
wait $SSE_PID
echo "stream ended with $?"
cat events.txt`;
  await using dir = await tempDir();
  await using shell = Bun.spawn(["sh", "-c", script], {
    cwd: dir.path,
    env: { ...process.env, BASE: served.origin.replace("127.0.0.1", "localhost") },
    stdout: "pipe",
  });
  const output = await shell.stdout.text();
  expect(output).toMatch(/Connection ID: [0-9a-f-]{36}\n202\n202\n200\nstream ended with 0\n/);
  expect(output).toContain(": connected");
  expect(output).toMatch(/event: message\nid: 1\nretry: 3000\ndata: {"jsonrpc":"2.0","id":2,/);
  expect(output).toContain('"text":"Hello"');
  expect(output).toMatch(/"id":3,"result":{"stopReason":"end_turn"}/);
});

test("a missing or unknown connection is 400, and 404 for a client that sends Acp-Session-Id", async () => {
  await using served = await serve();
  const unknown = { "Acp-Connection-Id": "00000000-0000-4000-8000-000000000000" };
  const draft = { ...unknown, "Acp-Session-Id": "sess_1" };
  const message = { jsonrpc: "2.0", id: 7, method: "session/list" };
  for (const method of ["POST", "GET", "DELETE"]) {
    const body = method === "POST" ? message : undefined;
    const missing = await served.request(method, {}, body);
    expect([missing.status, await errorOf(missing)]).toEqual([
      400,
      withError(-32600, method === "POST" ? 7 : null),
    ]);
    expect((await served.request(method, unknown, body)).status).toBe(400);
    expect((await served.request(method, draft, body)).status).toBe(404);
  }
});

test("a body that is no JSON-RPC request is 400 with the JSON-RPC error", async () => {
  await using served = await serve();
  const codes: [string, number][] = [
    ['{"jsonrpc":', -32700],
    ["", -32700],
    ["[]", -32600],
    [JSON.stringify([INITIALIZE]), -32600],
    ['"x"', -32600],
    ['{"method":"initialize","id":3}', -32600],
  ];
  for (const [body, code] of codes) {
    const response = await served.request("POST", {}, body);
    expect([body, response.status]).toEqual([body, 400]);
    expect(await errorOf(response)).toEqual(withError(code, body.includes("3}") ? 3 : null));
  }
});

test("a wrong content type is 415 and an Accept without event-stream is 406", async () => {
  await using served = await serve();
  const id = await served.connect();
  const typed = (type: string) => served.request("POST", { "Content-Type": type }, INITIALIZE);
  expect((await typed("text/plain")).status).toBe(415);
  expect((await typed("application/json; charset=utf-8")).status).toBe(200);
  const encoded = await served.request("POST", { "Content-Encoding": "gzip" }, INITIALIZE);
  expect([encoded.status, await errorOf(encoded)]).toEqual([415, withError(-32600)]);
  const accepting = (accept: string) =>
    served.request("GET", { "Acp-Connection-Id": id, Accept: accept });
  expect((await accepting("application/json")).status).toBe(406);
  expect((await accepting("text/event-stream;q=0, text/html")).status).toBe(406);
  for (const accept of ["*/*", "text/*;q=0.5", "application/json, text/event-stream"]) {
    const stream = await served.stream(id, { Accept: accept });
    stream.drop();
  }
});

test("a body over the limit is 413, declared or chunked, and is not read to its end", async () => {
  await using served = await serve({ maxBodyBytes: 1_000 });
  const declared = await served.request("POST", {}, { ...INITIALIZE, pad: "x".repeat(2_000) });
  expect([declared.status, await errorOf(declared)]).toEqual([413, withError(-32600)]);
  let sent = 0;
  const endless = new ReadableStream({
    pull: (controller) => {
      sent += 64_000;
      controller.enqueue(new Uint8Array(64_000).fill(32));
    },
  });
  const chunked = await fetch(served.url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: endless,
  });
  expect([chunked.status, await errorOf(chunked)]).toEqual([413, withError(-32600)]);
  expect(sent).toBeLessThan(50_000_000);
});

test("a body that stops coming is 408", async () => {
  await using served = await serve({ bodyIdleMs: 30 });
  const url = new URL(served.url);
  const socket = connect(Number(url.port), url.hostname);
  const head = "POST /acp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  socket.write(`${head}Content-Length: 100\r\n\r\n{"jsonrpc`);
  const reply = await new Promise<string>((resolve) =>
    socket.once("data", (data) => resolve(data.toString())),
  );
  socket.destroy();
  expect(reply).toStartWith("HTTP/1.1 408 ");
});

test("other methods and paths are 405 and 404", async () => {
  await using served = await serve();
  for (const method of ["PUT", "PATCH", "OPTIONS"]) {
    const response = await served.request(method);
    expect([method, response.status, response.headers.get("Allow")]).toEqual([
      method,
      405,
      "GET, POST, DELETE",
    ]);
  }
  expect((await served.request("HEAD")).status).toBe(405);
  expect((await fetch(`${served.origin}/`)).status).toBe(404);
  expect((await fetch(`${served.origin}/acp/x`)).status).toBe(404);
});

test("DELETE answers 200 when everything is released, ends the stream, and a second one is 400", async () => {
  await using served = await serve();
  const id = await served.connect();
  const stream = await served.stream(id);
  await served.post(id, { id: 5, method: "wait" });
  await until(() => served.side(id).received.length === 2);
  expect((await served.request("DELETE", { "Acp-Connection-Id": id })).status).toBe(200);
  expect(served.side(id).events).toEqual(["close: the client deleted the connection"]);
  expect(await stream.next()).toMatchObject({ data: { id: 5, error: { code: -32800 } } });
  expect(await stream.next()).toBeUndefined();
  expect((await served.request("DELETE", { "Acp-Connection-Id": id })).status).toBe(400);
});

test("initialize that fails keeps no connection, and one without an answer is 504", async () => {
  await using served = await serve({ initializeMs: 40 });
  const failed = await served.request("POST", {}, { ...INITIALIZE, params: {} });
  expect([failed.status, failed.headers.get("Acp-Connection-Id")]).toEqual([200, null]);
  expect(await errorOf(failed)).toEqual(withError(-32602, 1));
  const late = await served.request("POST", {}, { ...INITIALIZE, params: { hang: true } });
  expect([late.status, await errorOf(late)]).toEqual([504, withError(-32603, 1)]);
  await until(() => served.host.connections.every(({ events }) => events.length === 1));
  const metrics = await (await fetch(`${served.origin}/metrics`)).text();
  expect(metrics).toContain("iac_code_connections 0\n");
});

test("a second initialize on a connection goes to the agent like any other request", async () => {
  await using served = await serve();
  const id = await served.connect();
  const stream = await served.stream(id);
  expect((await served.post(id, { ...INITIALIZE, id: 2 })).status).toBe(202);
  expect(await stream.next()).toMatchObject({ data: { id: 2 } });
});

test("more connections than allowed are 503 with Retry-After until one ends", async () => {
  await using served = await serve({ maxConnections: 1 });
  const id = await served.connect();
  const refused = await served.request("POST", {}, INITIALIZE);
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "5"]);
  expect(await errorOf(refused)).toEqual(withError(-32603, 1));
  await served.request("DELETE", { "Acp-Connection-Id": id });
  expect((await served.request("POST", {}, INITIALIZE)).status).toBe(200);
});

test("a token is asked of every request but /health, in its exact form", async () => {
  await using served = await serve({ token: "s3cret" });
  const id = await served.connect();
  const wrong = ["", "Bearer wrong", "bearer s3cret", "Bearer s3cret s3cret", "Basic s3cret"];
  for (const method of ["POST", "GET", "DELETE"]) {
    for (const value of wrong) {
      const response = await served.request(method, {
        Authorization: value,
        "Acp-Connection-Id": id,
      });
      expect([method, value, response.status]).toEqual([method, value, 401]);
      expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="iac-code"');
      expect(await errorOf(response)).toEqual(withError(-32000));
    }
  }
  expect((await fetch(`${served.origin}/metrics`)).status).toBe(401);
  expect((await fetch(`${served.origin}/ready`)).status).toBe(401);
  const health = await fetch(`${served.origin}/health`);
  expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
});

test("openHttp refuses an address beyond loopback without a token", async () => {
  expect(serve({ hostname: "0.0.0.0" })).rejects.toThrow(
    "Cannot listen on 0.0.0.0 without a token",
  );
  await using open = await serve({ hostname: "0.0.0.0", insecure: true });
  await using closed = await serve({ hostname: "0.0.0.0", token: "t" });
  expect(open.url).not.toBe(closed.url);
});

test("openHttp says which address is taken", async () => {
  await using served = await serve();
  const port = Number(new URL(served.url).port);
  expect(serve({ port })).rejects.toThrow(`Cannot listen on 127.0.0.1:${port}`);
});

test("a foreign Host or Origin is 403, loopback names and allowed ones pass", async () => {
  await using served = await serve({
    allowHosts: ["agent.example.com"],
    allowOrigins: ["https://app.example.com"],
  });
  const health = (headers: Record<string, string>) => fetch(`${served.origin}/ready`, { headers });
  const statusOf = async (headers: Record<string, string>) => (await health(headers)).status;
  expect(await statusOf({ Host: "evil.example.com" })).toBe(403);
  expect(await statusOf({ Host: "127.0.0.1.evil.example.com" })).toBe(403);
  expect(await statusOf({ Host: "agent.example.com:80" })).toBe(200);
  expect(await statusOf({ Host: "LOCALHOST:1" })).toBe(200);
  expect(await statusOf({ Host: "[::1]:8765" })).toBe(200);
  expect(await statusOf({ Origin: "https://evil.example.com" })).toBe(403);
  expect(await statusOf({ Origin: "null" })).toBe(403);
  expect(await statusOf({ Origin: "http://localhost.evil.example.com" })).toBe(403);
  expect(await statusOf({ Origin: "http://localhost:3000" })).toBe(200);
  const allowed = await health({ Origin: "https://app.example.com" });
  expect(allowed.headers.get("Access-Control-Allow-Origin")).toBe("https://app.example.com");
  expect(allowed.headers.get("Access-Control-Expose-Headers")).toBe("Acp-Connection-Id");
});

test("OPTIONS answers a preflight of an allowed origin only, without asking for the token", async () => {
  await using served = await serve({ token: "t", allowOrigins: ["https://app.example.com"] });
  const options = (Origin: string) => fetch(served.url, { method: "OPTIONS", headers: { Origin } });
  const allowed = await options("https://app.example.com");
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get("Access-Control-Allow-Origin")).toBe("https://app.example.com");
  expect(allowed.headers.get("Access-Control-Allow-Headers")).toContain("Acp-Connection-Id");
  expect((await options("https://evil.example.com")).status).toBe(403);
});

test("/metrics shows the application's numbers beside its own", async () => {
  await using served = await serve();
  const id = await served.connect();
  const stream = await served.stream(id);
  await served.post(id, { id: 2, method: "echo" });
  await stream.next();
  const response = await fetch(`${served.origin}/metrics`);
  expect(response.headers.get("Content-Type")).toStartWith("text/plain");
  const lines = (await response.text()).split("\n").filter((line) => !line.startsWith("#"));
  expect(lines).toContain("iac_code_connections 1");
  expect(lines).toContain("iac_code_streams 1");
  expect(lines).toContain("iac_code_sessions 2");
  expect(lines).toContain("iac_code_requests_in_flight 0");
  expect(must(lines.find((line) => line.startsWith("iac_code_queue_bytes")))).not.toEndWith(" 0");
});

test("draining refuses new connections and requests, lets answers pass, and ends with the last request", async () => {
  await using served = await serve();
  const id = await served.connect();
  const stream = await served.stream(id);
  await served.post(id, { id: 2, method: "wait" });
  await until(() => served.side(id).received.length === 2);
  const drained = served.listener.drain(new AbortController().signal);
  const ready = await fetch(`${served.origin}/ready`);
  expect([ready.status, ready.headers.get("Retry-After")]).toEqual([503, "5"]);
  expect((await served.request("POST", {}, INITIALIZE)).status).toBe(503);
  expect((await served.post(id, { id: 3, method: "echo" })).status).toBe(503);
  expect((await served.post(id, { method: "session/cancel" })).status).toBe(202);
  await drained;
  expect(await stream.next()).toMatchObject({ data: { id: 2 } });
});

test("drain ends when its signal aborts, and disposing closes what is left", async () => {
  const served = await serve();
  const id = await served.connect();
  const stream = await served.stream(id);
  await served.post(id, { id: 2, method: "wait" });
  const limit = new AbortController();
  const drained = served.listener.drain(limit.signal);
  limit.abort();
  await drained;
  await served.listener[Symbol.asyncDispose]();
  await served.listener.done;
  const events = await stream.until(isAnswer(2));
  expect(events).toMatchObject([{ data: { id: 2, error: { code: -32800 } } }]);
  expect(fetch(served.url)).rejects.toThrow();
});
