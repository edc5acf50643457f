// Against servers that others wrote, and one written with the official SDK: over stdio, streamable HTTP and SSE.

import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { RETRY_AFTER_MS } from "../../src/mcp/connection.ts";
import { forgetfulMcpServer } from "../support/mcp-servers.ts";
import { tempDir } from "../support/temp-dir.ts";
import { NEVER, openServers, until } from "./servers.ts";

const TEST_MS = 60_000;

/** The file of a package's program; empty where the package is not installed. */
function fileOf(find: () => string): string {
  try {
    return fileURLToPath(find());
  } catch {
    // Not installed: the tests that need it say so by name.
    return "";
  }
}
const EVERYTHING = fileOf(() =>
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);
const FILESYSTEM = fileOf(() =>
  import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
);
const BY_SDK = fileOf(() => import.meta.resolve("./sdk-server.ts"));
const noEverything = EVERYTHING === "";
const noFilesystem = FILESYSTEM === "";

const bun = (name: string, file: string, ...args: readonly string[]) =>
  ({ type: "stdio", name, command: process.execPath, args: [file, ...args], env: {} }) as const;

test.concurrent(
  "a server by the SDK: tools, a list that grows, prompts, resources",
  async () => {
    await using session = await openServers([bun("sdk", BY_SDK)]);
    const { servers } = session;
    expect(servers.status()).toEqual([
      { name: "sdk (stdio)", state: "ready: 2 tools, 1 prompt, resources" },
    ]);
    expect(await session.call("mcp__sdk__add", { a: 2, b: 3 })).toEqual({ ok: true, text: "5" });
    expect(await session.call("mcp__sdk__grow")).toEqual({ ok: true, text: "done" });
    await until(() => servers.tools().some(({ name }) => name === "mcp__sdk__grown"));
    expect((await session.call("mcp__sdk__grown")).text).toBe("grown");
    expect(await servers.prompts()[0]?.expand(["the", "move"], NEVER)).toEqual({
      ok: true,
      value: "Plan the move",
    });
    expect((await session.call("mcp__sdk__read_resource", { uri: "doc://readme" })).text).toContain(
      "Read me",
    );
  },
  TEST_MS,
);

test.concurrent.skipIf(noFilesystem)(
  "server-filesystem works in the session's roots",
  async () => {
    await using outside = await tempDir({ "x.txt": "outside" });
    await using session = await openServers([bun("fs", FILESYSTEM, outside.path)]);
    const path = session.project.file("a.txt");
    // The server asks for the roots in its own time.
    const allowed = async () => (await session.call("mcp__fs__list_allowed_directories")).text;
    while (!(await allowed()).includes(session.project.path)) await Bun.sleep(20);
    const written = await session.call("mcp__fs__write_file", { path, content: "from the server" });
    expect(written.ok).toBe(true);
    expect(await Bun.file(path).text()).toBe("from the server");
    expect((await session.call("mcp__fs__read_text_file", { path })).text).toBe("from the server");
    expect(
      (await session.call("mcp__fs__read_text_file", { path: outside.file("x.txt") })).ok,
    ).toBe(false);
  },
  TEST_MS,
);

const givenOut = new Set<number>();

/** For a program that cannot be told to take any port; tests that run side by side never get the same one. */
async function freePort(): Promise<number> {
  using probe = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port = 0 } = probe;
  await probe.stop(true);
  if (givenOut.has(port)) return freePort();
  givenOut.add(port);
  return port;
}

/** Starts server-everything over HTTP; over stdio nothing has to run before. */
async function everything(kind: "stdio" | "streamableHttp" | "sse") {
  if (kind === "stdio")
    return { spec: bun("every", EVERYTHING), [Symbol.asyncDispose]: async () => undefined };
  const port = await freePort();
  const child = Bun.spawn([process.execPath, EVERYTHING, kind], {
    env: { ...process.env, PORT: String(port) },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  let said = "";
  const reading = (async () => {
    for await (const chunk of child.stderr) said += Buffer.from(chunk).toString();
  })();
  await until(() => /on port/.test(said));
  const base = `http://127.0.0.1:${port}`;
  return {
    spec:
      kind === "sse"
        ? ({ type: "sse", name: "every", url: `${base}/sse`, headers: {} } as const)
        : ({ type: "http", name: "every", url: `${base}/mcp`, headers: { "X-A": "b" } } as const),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
      await reading;
    },
  };
}

for (const kind of ["stdio", "streamableHttp", "sse"] as const) {
  test.concurrent.skipIf(noEverything)(
    `server-everything over ${kind}: tools, images, progress, cancelling, roots, resources, prompts`,
    async () => {
      await using server = await everything(kind);
      await using session = await openServers([server.spec]);
      const { servers, call } = session;
      expect(servers.takeReports()).toEqual([]);
      expect((await call("mcp__every__echo", { message: "hi" })).text).toBe("Echo: hi");
      expect((await call("mcp__every__get-sum", { a: 1, b: 5 })).text).toContain("6");
      expect((await call("mcp__every__get-tiny-image")).text).toContain("[image: image/png, ");
      expect((await call("mcp__every__list_resources")).text).toContain("demo://resource/");
      expect((await call("mcp__every__get-roots-list")).text).toContain(session.project.path);
      const seen: string[] = [];
      const long = await call(
        "mcp__every__trigger-long-running-operation",
        { duration: 0.4, steps: 2 },
        { onProgress: (text) => seen.push(text) },
      );
      expect(long.text).toContain("completed");
      expect(seen[0]).toBe("Progress: 1 of 2");
      const controller = new AbortController();
      const stopped = call(
        "mcp__every__trigger-long-running-operation",
        { duration: 60, steps: 600 },
        { signal: controller.signal, onProgress: () => controller.abort() },
      );
      expect(await stopped).toEqual({ ok: false, text: "Cancelled." });
      const prompt = servers.prompts().find(({ name }) => name === "mcp__every__args-prompt");
      expect(await prompt?.expand(["Bonn", "NRW"], NEVER)).toMatchObject({
        ok: true,
        value: expect.stringContaining("Bonn"),
      });
    },
    TEST_MS,
  );
}

test.concurrent.skipIf(noEverything)(
  "a server over HTTP that is gone is said to be lost",
  async () => {
    const first = await everything("streamableHttp");
    const session = await openServers([first.spec]);
    expect((await session.call("mcp__every__echo", { message: "1" })).ok).toBe(true);
    await first[Symbol.asyncDispose]();
    const lost = await session.call("mcp__every__echo", { message: "2" });
    expect(lost.ok).toBe(false);
    expect(lost.text).toContain("MCP server every was lost during the call");
    await session[Symbol.asyncDispose]();
  },
  TEST_MS,
);

test.concurrent(
  "a server over HTTP that comes back is used again by a later turn",
  async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    await using session = await openServers([{ type: "http", name: "f", url, headers: {} }]);
    const { servers } = session;
    expect(servers.takeReports()).toHaveLength(1);
    expect(servers.tools()).toEqual([]);
    using _server = forgetfulMcpServer(port);
    await Bun.sleep(RETRY_AFTER_MS);
    await servers.settle(NEVER);
    await until(() => servers.tools().length === 1);
    expect((await session.call("mcp__f__who")).text).toBe("session one");
    expect(servers.takeReports()).toEqual([]);
  },
  TEST_MS,
);

test.concurrent(
  "calls at the same time to a server that forgot the session all get their answers",
  async () => {
    using server = forgetfulMcpServer();
    const spec = { type: "http", name: "f", url: server.url, headers: {} } as const;
    await using session = await openServers([spec]);
    server.forget("two");
    const calls = await Promise.all([1, 2, 3].map(() => session.call("mcp__f__who")));
    expect(calls.map(({ text }) => text)).toEqual(["session two", "session two", "session two"]);
  },
  TEST_MS,
);

test.concurrent(
  "a server that forgot the session gets a new one, and the call is made",
  async () => {
    using server = forgetfulMcpServer();
    await using session = await openServers([
      { type: "http", name: "f", url: server.url, headers: {} },
    ]);
    expect((await session.call("mcp__f__who")).text).toBe("session one");
    server.forget("two");
    expect((await session.call("mcp__f__who")).text).toBe("session two");
  },
  TEST_MS,
);
