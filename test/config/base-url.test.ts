import { expect, test } from "bun:test";
import fc from "fast-check";
import { normalizeBaseUrl, ollamaBaseUrl } from "../../src/config/base-url.ts";

const urlOf = (text: string) => {
  const base = normalizeBaseUrl(text);
  return base.ok ? base.url : base.error;
};

test("normalizeBaseUrl brings every usual spelling to the address the client wants", () => {
  const wanted = "https://api.example.com/v1";
  for (const text of [
    "https://api.example.com/v1",
    "https://api.example.com/v1/",
    "  https://api.example.com/v1// \n",
    '"https://api.example.com/v1"',
    "https://api.example.com/v1/chat/completions",
    "https://api.example.com/v1/chat/completions/",
    "https://api.example.com/v1/responses",
    "https://API.example.com:443/v1",
    "https://api.example.com/v1?x=1#y",
  ]) {
    expect([text, urlOf(text)]).toEqual([text, wanted]);
  }
  expect(urlOf("http://127.0.0.1:8080")).toBe("http://127.0.0.1:8080");
  expect(urlOf("https://x.example/chat/completions-proxy")).toBe(
    "https://x.example/chat/completions-proxy",
  );
});

test("normalizeBaseUrl keeps what a pasted method address says: the API and Azure's version", () => {
  expect(
    normalizeBaseUrl(
      "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
    ),
  ).toEqual({
    ok: true,
    url: "https://r.openai.azure.com/openai/deployments/d",
    apiVersion: "2024-10-21",
  });
  expect(normalizeBaseUrl("https://x.example/v1/responses")).toEqual({
    ok: true,
    url: "https://x.example/v1",
    api: "responses",
  });
});

test("normalizeBaseUrl names the fault and the fix, and repeats no part of the address", () => {
  expect(urlOf("api.example.com/v1")).toBe(
    "The base URL has no scheme; write https:// or, for a server of your own, http:// before it",
  );
  expect(urlOf("localhost:8080/v1")).toContain("has no scheme");
  expect(urlOf("  ")).toContain("is empty");
  expect(urlOf("https://")).toContain("is no address");
  expect(urlOf("ftp://x.example")).toContain("must begin with https://");
  expect(urlOf("https://user:hunter2@x.example/v1")).toContain("IACCODE_API_KEY");
  expect(urlOf("https://user:hunter2@x.example/v1")).not.toContain("hunter2");
});

test("normalizing twice changes nothing more", () => {
  const piece = fc.constantFrom(
    "v1",
    "/",
    "chat/completions",
    "/responses",
    "completions",
    "a b",
    "?q",
    "%",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const once = normalizeBaseUrl(`https://x.example/${pieces.join("/")}`);
      if (once.ok) expect(urlOf(once.url)).toBe(once.url);
    }),
    { seed: 3 },
  );
});

test("ollamaBaseUrl reads OLLAMA_HOST as Ollama does", () => {
  const cases: readonly (readonly [string | undefined, string])[] = [
    [undefined, "http://127.0.0.1:11434/v1"],
    ["", "http://127.0.0.1:11434/v1"],
    ["0.0.0.0", "http://127.0.0.1:11434/v1"],
    ["0.0.0.0:9000", "http://127.0.0.1:9000/v1"],
    [":9000", "http://127.0.0.1:9000/v1"],
    ["box", "http://box:11434/v1"],
    ["http://box:80", "http://box/v1"],
    ["https://ollama.example", "https://ollama.example/v1"],
    ["https://ollama.example/v1/", "https://ollama.example/v1"],
  ];
  for (const [host, url] of cases) {
    const base = ollamaBaseUrl(host);
    expect([host, base.ok && base.url]).toEqual([host, url]);
  }
});
