// `iac-code models` and `iac-code config`.

import { expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { mergeListed } from "../../src/agent/create-catalog.ts";
import { fakeModel, status } from "../support/fake-model.ts";
import { runCli } from "../support/run-cli.ts";

test("models --ask merges what the endpoint lists with what is known", async () => {
  await using model = await fakeModel([], {
    models: ["fake-model", "gpt-4o", "text-embedding-3-small", "vendor/deepseek-chat"],
  });
  const plain = await runCli(["models"], { env: model.env() });
  expect(plain.out).toMatch(/^\* custom\/fake-model /);
  expect(plain.out).not.toContain("gpt-4o");
  const asked = await runCli(["models", "--ask", "--json"], { env: model.env() });
  expect([asked.code, asked.err]).toEqual([0, ""]);
  const rows = JSON.parse(asked.out) as Record<string, unknown>[];
  expect(
    rows.map(({ id, contextWindow, isListed, isCurrent }) => [
      id,
      contextWindow,
      isListed,
      isCurrent,
    ]),
  ).toEqual([
    ["custom/fake-model", 128_000, true, true],
    ["custom/gpt-4o", 128_000, true, false],
    ["custom/vendor/deepseek-chat", 128_000, true, false],
    ["offline", 128_000, false, false],
  ]);
  expect(model.requests).toHaveLength(0);
});

test("models --ask says which endpoint did not list, without its key, and exits 1", async () => {
  const key = "sk-secret-0123456789";
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      Response.json(
        { error: { message: `bad key ${key}`, code: "invalid_api_key" } },
        { status: 401 },
      ),
  });
  const { code, out, err } = await runCli(["models", "--ask"], {
    env: {
      IACCODE_BASE_URL: `http://127.0.0.1:${server.port}/v1`,
      IACCODE_MODEL: "x",
      IACCODE_API_KEY: key,
    },
  });
  await server.stop(true);
  expect(code).toBe(1);
  expect(out).toMatch(/^\* custom\/x /);
  expect(err).toContain("refused the API key (401)");
  expect(out + err).not.toContain(key);
});

test("models without a key, with a wrong address and with a local server", async () => {
  const none = await runCli(["models"]);
  expect([none.out, none.code]).toEqual([
    "* offline  Built in: reviews the project by rules, without any network  128000 tokens\n",
    0,
  ]);
  expect(none.err).toContain("iac-code login");
  const wrong = await runCli(["models"], { env: { IACCODE_BASE_URL: "nonsense" } });
  expect(wrong.out).toStartWith("* offline");
  expect(wrong.err).toContain("IACCODE_BASE_URL: The base URL has no scheme");
  await using local = await fakeModel([status(500)], { models: ["tiny", "large"] });
  const found = await runCli(["models"], { env: { OLLAMA_HOST: local.origin } });
  expect(found.out).toMatch(
    /^\* ollama\/tiny +Ollama \(OLLAMA_HOST\) +32768 tokens\n {2}ollama\/large /,
  );
});

test("mergeListed lets the endpoint's own numbers go before the table's", () => {
  const endpoint = {
    provider: "openai",
    title: "OpenAI",
    baseUrl: "https://api.example.com/v1",
    api: "chat",
    source: "OPENAI_API_KEY",
    quirks: {},
    models: [{ id: "gpt-5", contextWindow: 400_000, maxOutputTokens: 128_000 }],
  } as const;
  const merged = mergeListed(endpoint, [
    { id: "gpt-5", contextWindow: 300_000 },
    { id: "gpt-image-1" },
    { id: "new-one", name: "New" },
  ]);
  expect(
    merged.map(({ id, name, contextWindow, maxOutputTokens }) => [
      id,
      name,
      contextWindow,
      maxOutputTokens,
    ]),
  ).toEqual([
    ["openai/gpt-5", "gpt-5", 300_000, 128_000],
    ["openai/new-one", "New", 128_000, undefined],
  ]);
});

test("config schema prints a JSON Schema that a good file fits and a bad one does not", async () => {
  const { code, out } = await runCli(["config", "schema"]);
  expect(code).toBe(0);
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(out) as object);
  expect(validate({ mode: "plan", permissions: { deny: ["bash(terraform destroy:*)"] } })).toBe(
    true,
  );
  expect(validate({ mode: "yolo" })).toBe(false);
  expect((await runCli(["config", "path"])).out).toEndWith("/.iac-code/config.json\n");
  expect((await runCli(["config", "dance"])).code).toBe(2);
});
