import { expect, test } from "bun:test";
import type { ConfiguredEndpoint } from "../../src/config/build-endpoint.ts";
import { localServers, probeLocalServers } from "../../src/config/local-servers.ts";

type Answer = (request: Request) => Response | Promise<Response>;

function serve(fetch: Answer) {
  return Bun.serve({ port: 0, hostname: "127.0.0.1", fetch, development: false });
}

const never: Answer = () => new Promise(() => undefined);
const endpoint = (provider: string, port: number | undefined): ConfiguredEndpoint => ({
  provider,
  title: provider,
  baseUrl: `http://127.0.0.1:${port}/v1`,
  api: "chat",
  source: "local server",
  quirks: {},
  models: [],
});

test("localServers names the four usual servers, Ollama where OLLAMA_HOST says", () => {
  expect(localServers({}).map(({ provider, baseUrl }) => [provider, baseUrl])).toEqual([
    ["ollama", "http://127.0.0.1:11434/v1"],
    ["lmstudio", "http://127.0.0.1:1234/v1"],
    ["llamacpp", "http://127.0.0.1:8080/v1"],
    ["vllm", "http://127.0.0.1:8000/v1"],
  ]);
  expect(localServers({ OLLAMA_HOST: "box" })[0]).toMatchObject({
    baseUrl: "http://box:11434/v1",
    source: "OLLAMA_HOST",
  });
});

test("probeLocalServers keeps those that answer in time with models, in their order, and sends no key", async () => {
  const seen: (string | null)[] = [];
  using good = serve((request) => {
    seen.push(`${new URL(request.url).pathname} ${request.headers.get("authorization")}`);
    return Response.json({
      object: "list",
      data: [{ id: "nomic-embed-text" }, { id: "qwen3:8b" }],
    });
  });
  using empty = serve(() => Response.json({ data: [] }));
  using website = serve(() => new Response("<html>"));
  using failing = serve(() => Response.json({ data: [{ id: "x" }] }, { status: 500 }));
  using redirecting = serve(() => Response.redirect(`${good.url.origin}/v1/models`));
  using silent = serve(never);
  using huge = serve(() => new Response("x".repeat(3_000_000)));
  using second = serve(() => Response.json({ data: [{ id: "m" }, 7, { name: "no id" }] }));
  using closed = serve(never);
  const closedPort = closed.port;
  await closed.stop(true);

  const others = [empty, website, failing, redirecting, silent, huge];
  const servers = [
    endpoint("good", good.port),
    ...others.map(({ port }) => endpoint("other", port)),
    endpoint("closed", closedPort),
    endpoint("second", second.port),
  ];
  const start = performance.now();
  const found = await probeLocalServers(new AbortController().signal, { servers });
  expect(performance.now() - start).toBeLessThan(1_500);
  expect(found.map(({ provider, models }) => [provider, models])).toEqual([
    ["good", [{ id: "qwen3:8b" }]],
    ["second", [{ id: "m" }]],
  ]);
  expect(seen).toEqual(["/v1/models null"]);
  await silent.stop(true);
});

test("probeLocalServers ends when its signal is aborted", async () => {
  using silent = serve(never);
  const controller = new AbortController();
  const servers = [endpoint("silent", silent.port)];
  const probing = probeLocalServers(controller.signal, { servers, timeoutMs: 60_000 });
  controller.abort();
  expect(await probing).toEqual([]);
  await silent.stop(true);
});
