// What people read when an endpoint fails, which failures are tried again, and that no key is ever in it.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { errorInfoOfBody } from "../../src/providers/error-info.ts";
import { networkFault, statusFault, streamFault } from "../../src/providers/failures.ts";
import { maskKeys } from "../../src/providers/mask-keys.ts";
import { isOverflowText } from "../../src/providers/overflow.ts";
import { decideRetry, MAX_ATTEMPTS, parseRetryAfter } from "../../src/providers/retry.ts";
import { endpointAt } from "./support.ts";

const KEY = "fake-key-0123456789abcdef";
const context = { endpoint: endpointAt("https://api.example.com/v1"), model: "m1" };
const body = (message: string, code = "") => JSON.stringify({ error: { message, code } });
const kindOf = (status: number, text: string) => statusFault(status, text, context).failure.kind;

test("a wrong key is a wrong key with status 400 as well", () => {
  expect(kindOf(400, body("API key not valid. Please pass a valid API key."))).toBe("auth");
});

describe("statusFault", () => {
  test.each([
    [
      401,
      body(`Bad key ${KEY}`),
      "fake refused the API key (401). Check FAKE_API_KEY, or run `iac-code login`.",
    ],
    [
      403,
      body("No access to m1."),
      "fake denied access (403): No access to m1. Check that the key from FAKE_API_KEY may use m1.",
    ],
    [
      402,
      body("Insufficient Balance"),
      "fake has no quota left for this key (402): Insufficient Balance. Check plan and billing, or choose another model.",
    ],
    [
      404,
      body("The model `m1` does not exist"),
      "fake does not know model m1 or this address (404): The model `m1` does not exist. See `iac-code models`, or check the base URL.",
    ],
    [
      429,
      body("Slow down"),
      "fake is rate limited (429): Slow down. Wait a moment, or choose another model.",
    ],
    [
      400,
      body("Bad thing"),
      "fake did not accept the request (400): Bad thing. Check the model and its settings.",
    ],
    [
      502,
      "<html>Bad gateway</html>",
      "fake failed (502). Try again later, or choose another model.",
    ],
    [500, "", "fake failed (500). Try again later, or choose another model."],
    [
      302,
      "",
      "fake redirects to another address (302). Set that address as the base URL instead of api.example.com.",
    ],
  ])("says for %d what happened and what to do", (status, text, message) => {
    expect(statusFault(status, text, context).failure).toMatchObject({
      message,
      status,
      provider: "fake",
    });
  });

  test.each([
    [
      "OpenAI",
      429,
      body("You exceeded your current quota, please check your plan", "insufficient_quota"),
    ],
    ["Anthropic", 400, body("Your credit balance is too low to access the API")],
    ["DashScope", 400, body("Access denied, account overdue", "Arrearage")],
    ["GLM", 429, body("您的账户余额不足", "1113")],
  ])("knows a used-up quota of %s", (_name, status, text) => {
    expect(kindOf(status, text)).toBe("quota");
  });

  test("a limit that says when to come back is no used-up quota, and the time is taken from the text", () => {
    const text = body(
      "You exceeded your current quota. Please retry in 21.5s.",
      "RESOURCE_EXHAUSTED",
    );
    expect(statusFault(429, text, context)).toMatchObject({
      failure: { kind: "rate_limit" },
      retryAfterMs: 21_500,
    });
  });

  test("any message is at most 300 characters, one line, and without any key of the endpoint", () => {
    const anything = fc.oneof(
      fc.string(),
      fc.constantFrom(KEY, `Bearer ${KEY}`, "\n", "x".repeat(400), encodeURIComponent(KEY)),
    );
    fc.assert(
      fc.property(
        fc.array(anything),
        fc.constantFrom(400, 401, 403, 404, 429, 500),
        (parts, status) => {
          const { message } = statusFault(status, body(parts.join("")), context).failure;
          expect(message.length).toBeLessThanOrEqual(300);
          expect(message).not.toContain(KEY);
          expect(message).not.toContain("\n");
        },
      ),
    );
  });
});

test.each([
  ["nested", `{"error":{"message":"m","code":"c"}}`, { message: "m", code: "c" }],
  [
    "flat with a code",
    `{"code":"InvalidApiKey","message":"m"}`,
    { message: "m", code: "invalidapikey" },
  ],
  [
    "object error",
    `{"object":"error","message":"m","code":429}`,
    { message: "m", code: "", status: 429 },
  ],
  ["text only", `{"error":"m"}`, { message: "m", code: "" }],
  ["FastAPI", `{"detail":[{"msg":"m","type":"missing"}]}`, { message: "m", code: "missing" }],
  [
    "in an array",
    `[{"error":{"message":"m","status":"INVALID_ARGUMENT","code":400}}]`,
    { message: "m", code: "invalid_argument", status: 400 },
  ],
  ["not JSON", `Internal Server Error`, { message: "", code: "" }],
])("errorInfoOfBody reads a body that is %s", (_name, text, info) => {
  expect(errorInfoOfBody(text)).toEqual(info);
});

test("streamFault lets ordinary chunks through", () => {
  for (const chunk of [
    { choices: [], usage: {} },
    { choices: [{ delta: { content: "a" } }], error: null },
    { type: "response.output_text.delta", delta: "a" },
    { object: "response", status: "completed", output: [], error: null },
    { id: "x", message: "hello" },
  ])
    expect(streamFault(chunk, context)).toBeUndefined();
  expect(
    streamFault(
      { type: "response.failed", response: { error: { code: "server_error", message: "m" } } },
      context,
    ),
  ).toBeDefined();
});

test.each([
  [
    "OpenAI",
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
  ],
  ["OpenAI's code", "context_length_exceeded"],
  [
    "DashScope",
    "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]",
  ],
  ["llama.cpp", "the request exceeds the available context size, try increasing it"],
  [
    "vLLM",
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
  ],
  ["Ollama", "the input length exceeds the context length"],
  [
    "DeepSeek",
    "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens",
  ],
  ["Anthropic", "prompt is too long: 210000 tokens > 200000 maximum"],
  [
    "Gemini",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  ],
  [
    "Mistral",
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
  ],
  ["Kimi", "Invalid request: Your request exceeded model token limit: 8192"],
  [
    "Groq",
    "Request too large for model `x` in organization `y` on tokens per minute (TPM): Limit 6000, Requested 9000",
  ],
  [
    "LM Studio",
    "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
  ],
  [
    "OpenRouter",
    "This endpoint's maximum context length is 32768 tokens. Please reduce the length of either one",
  ],
  ["xAI", "This model's maximum prompt length is 131072 but the request contains 140000 tokens."],
])("isOverflowText knows the wording of %s", (_name, text) => {
  expect(isOverflowText(text)).toBe(true);
});

test.each([
  "max_tokens is too large: 8192. This model supports at most 4096 completion tokens",
  "Rate limit reached for requests",
  "Invalid value for 'messages'",
])("isOverflowText leaves other errors alone: %s", (text) => {
  expect(isOverflowText(text)).toBe(false);
});

describe("networkFault", () => {
  const withCode = (code: string) => Object.assign(new TypeError("failed"), { code });
  test.each([
    ["ENOTFOUND", /no address is known for api.example.com/, undefined],
    ["ECONNRESET", /the connection to api.example.com broke \(ECONNRESET\)/, undefined],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", /TLS certificate of api.example.com was not accepted/, true],
    ["", /the connection to api.example.com broke\./, undefined],
  ])("says what %s means", (code, message, isFinal) => {
    const fault = networkFault(new Error("outer", { cause: withCode(code) }), context);
    expect(fault.failure.message).toMatch(message);
    expect(fault.isFinal).toBe(isFinal);
  });
});

describe("maskKeys", () => {
  test.each([
    ["a known value in every form", `${KEY} ${Buffer.from(KEY).toString("base64")}`, "*** ***"],
    [
      "what looks like a key",
      "key sk-proj-abcdefghijkl and Bearer abcdef123456",
      "key *** and Bearer ***",
    ],
    ["credentials in an address", "https://me:secret@host/v1", "https://***@host/v1"],
  ])("masks %s", (_name, text, expected) => {
    expect(maskKeys(text, [KEY])).toBe(expected);
  });

  test("leaves values under 8 characters alone", () => {
    expect(maskKeys("a test of none", ["test", "none"])).toBe("a test of none");
  });
});

describe("decideRetry", () => {
  const limited = statusFault(429, body("Slow down"), context);
  test("waits exponentially from 0.5 s to 30 s, a little less by chance", () => {
    const delays = [1, 2, 3, 4].map((attempt) => decideRetry(limited, attempt, 0));
    expect(delays).toEqual([500, 1000, 2000, 4000].map((delayMs) => ({ type: "retry", delayMs })));
    expect(decideRetry(limited, 4, 0.999, 20_000)).toEqual({ type: "retry", delayMs: 22_508 });
    expect(decideRetry(limited, MAX_ATTEMPTS, 0)).toEqual({ type: "give_up" });
  });

  test("any wait it decides on is at most 120 s", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 1_000_000 }),
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (retryAfterMs, attempt, random) => {
          const decision = decideRetry({ ...limited, retryAfterMs }, attempt, random);
          if (decision.type === "retry") expect(decision.delayMs).toBeLessThanOrEqual(120_000);
          if (retryAfterMs > 120_000) expect(decision.type).toBe("wait_too_long");
        },
      ),
    );
  });
});

test.each([
  [{ "retry-after": "3" }, 3000],
  [{ "retry-after": "1.5" }, 1500],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "-5" }, 0],
  [{ "retry-after": "86400" }, 86_400_000],
  [{ "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" }, 60_000],
  [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
  [{}, undefined],
])("parseRetryAfter reads %p", (headers, expected) => {
  expect(parseRetryAfter(new Headers(headers), Date.parse("2026-01-01T00:00:00Z"))).toBe(expected);
});
