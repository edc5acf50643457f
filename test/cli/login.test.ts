// `iac-code login` and `logout`: by script and on a terminal; a key is stored only when a request proved it.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type FakeModel, fakeModel, status, text } from "../support/fake-model.ts";
import { PROGRAM } from "../support/program.ts";
import { runCli } from "../support/run-cli.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";

const fileOf = (home: TempDir): string => home.file(".iac-code/credentials.json");
const argsFor = (model: FakeModel): string[] => [
  "login",
  "--base-url",
  model.url,
  "--model",
  "fake-model",
  "--key-stdin",
];

test("login by script tests the key, stores it for its owner only, and the next start uses it", async () => {
  await using home = await tempDir();
  await using project = await tempDir();
  await using model = await fakeModel([text("ok"), text("Hello.")], { requireKey: true });
  const login = await runCli(argsFor(model), { home: home.path, stdin: `${model.apiKey}\n` });
  expect([login.code, login.err.split("\n")[0]]).toEqual([
    0,
    "Asking Own endpoint for one word of fake-model …",
  ]);
  expect(login.out).toMatch(/^Stored: custom\/fake-model \(answered in \d+ ms\) in /);
  expect(login.out + login.err).not.toContain(model.apiKey);
  expect(statSync(fileOf(home)).mode & 0o777).toBe(0o600);
  expect(statSync(join(home.path, ".iac-code")).mode & 0o777).toBe(0o700);
  const run = await runCli(["run", "Hi"], { home: home.path, cwd: project.path });
  expect([run.out, run.code]).toEqual(["Hello.\n", 0]);
  const logout = await runCli(["logout"], { home: home.path });
  expect([logout.out, logout.code]).toEqual(["Forgotten: custom\n", 0]);
  expect(existsSync(fileOf(home))).toBe(false);
  model.assertValid();
});

test.each([
  [
    "a wrong key",
    status(401, {}, { error: { message: "no", code: "invalid_api_key" } }),
    /refused the API key \(401\)/,
  ],
  ["no credit", status(402, {}, { error: { message: "Insufficient balance" } }), /no quota left/],
  [
    "a missing model",
    status(404, {}, { error: { message: "model not found" } }),
    /does not know model/,
  ],
])("login does not store after %s", async (_name, reply, expected) => {
  await using home = await tempDir();
  await using model = await fakeModel([reply]);
  const key = "sk-not-good-0123456789";
  const { code, out, err } = await runCli(argsFor(model), { home: home.path, stdin: key });
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(/Not stored\. /);
  expect(err).toMatch(expected);
  expect(err).not.toContain(key);
  expect(existsSync(fileOf(home))).toBe(false);
});

test("login keeps an old key when the new one does not work", async () => {
  await using home = await tempDir();
  await using model = await fakeModel([text("ok"), status(401)]);
  await runCli(argsFor(model), { home: home.path, stdin: "sk-the-old-one-012345" });
  const before = readFileSync(fileOf(home), "utf8");
  const second = await runCli(argsFor(model), { home: home.path, stdin: "sk-the-new-one-012345" });
  expect(second.code).toBe(1);
  expect(readFileSync(fileOf(home), "utf8")).toBe(before);
});

test("login says when something else goes before the stored key", async () => {
  await using home = await tempDir();
  await using model = await fakeModel([text("ok")]);
  const { code, err } = await runCli(argsFor(model), {
    home: home.path,
    stdin: "sk-a-good-one-0123456",
    env: { GROQ_API_KEY: "gsk-x" },
  });
  expect(code).toBe(0);
  expect(err).toContain("It is not the one to begin with: Groq goes before it, from GROQ_API_KEY.");
});

test("login by script names what is missing or wrong, and asks no endpoint", async () => {
  const cases: readonly (readonly [readonly string[], string, RegExp])[] = [
    [["login"], "", /no terminal/],
    [["login", "--key-stdin"], "k", /--provider is needed/],
    [
      ["login", "--provider", "nobody", "--key-stdin"],
      "k",
      /--provider must be one of openai, .*--base-url/,
    ],
    [["login", "--provider", "ollama", "--key-stdin"], "k", /Ollama needs no key/],
    [["login", "--provider", "openai", "--key-stdin"], "  \n", /The key is empty/],
    [["login", "--provider", "openai", "--key-stdin"], "two words", /That is no key/],
    [["login", "--base-url", "example.com", "--key-stdin"], "k", /--base-url: .*no scheme/],
    [["login", "--base-url", "http://127.0.0.1:9/v1", "--key-stdin"], "k", /give one with --model/],
    [["login", "--key", "sk-x"], "", /Unknown option --key/],
  ];
  for (const [args, stdin, expected] of cases) {
    const { code, err } = await runCli(args, { stdin });
    expect([args, code]).toEqual([args, 2]);
    expect(err).toMatch(expected);
  }
});

test("logout without a stored key says so, and one provider's leaves the others", async () => {
  await using home = await tempDir({
    ".iac-code/credentials.json": JSON.stringify({
      providers: { openai: { apiKey: "sk-1" }, groq: { apiKey: "gsk-1" } },
    }),
  });
  expect((await runCli(["logout"])).err).toBe("No key is stored.\n");
  const unknown = await runCli(["logout", "mistral"], { home: home.path });
  expect([unknown.code, unknown.err]).toEqual([1, "No key is stored for mistral.\n"]);
  const one = await runCli(["logout", "groq"], { home: home.path, env: { GROQ_API_KEY: "gsk-2" } });
  expect(one.out).toBe("Forgotten: groq\n");
  expect(one.err).toContain("Groq can still be used: its key comes from GROQ_API_KEY.");
  expect(readFileSync(fileOf(home), "utf8")).toContain("openai");
});

/** Runs login on a terminal of its own and types each answer when its question has appeared. */
async function typeInto(
  home: TempDir,
  args: readonly string[],
  answers: readonly (readonly [question: string, answer: string])[],
): Promise<{ readonly code: number; readonly screen: string }> {
  let screen = "";
  let next = 0;
  const decoder = new TextDecoder();
  await using child = Bun.spawn([...PROGRAM, ...args], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home.path,
      IACCODE_HOME: home.file(".iac-code"),
      TERM: "dumb",
    },
    terminal: {
      cols: 200,
      rows: 50,
      data: (terminal, data) => {
        screen += decoder.decode(data, { stream: true });
        const [question, answer] = answers[next] ?? [];
        if (question === undefined || answer === undefined || !screen.includes(question)) return;
        next += 1;
        terminal.write(answer);
      },
    },
  });
  return { code: await child.exited, screen };
}

test("login on a terminal asks provider, key and model, and never shows the key", async () => {
  await using home = await tempDir();
  await using model = await fakeModel([text("ok")], { requireKey: true });
  const { code, screen } = await typeInto(
    home,
    ["login"],
    [
      ["Provider (number, name or address): ", `${model.url}\r`],
      ["(not shown): ", `\u001b[200~${model.apiKey}x\u001b[201~\u007f\r`],
      ["Model: ", "fake-model\r"],
    ],
  );
  expect(screen).toContain("1  openai  OpenAI");
  expect(screen).toContain("Stored: custom/fake-model");
  expect(screen).not.toContain(model.apiKey);
  expect(code).toBe(0);
  expect(JSON.parse(readFileSync(fileOf(home), "utf8"))).toEqual({
    providers: { custom: { apiKey: model.apiKey, model: "fake-model", baseUrl: model.url } },
  });
});

test("login on a terminal ends at Ctrl-C without a trace", async () => {
  await using home = await tempDir();
  const { code, screen } = await typeInto(
    home,
    ["login"],
    [
      ["Provider (number, name or address): ", "openai\r"],
      ["Key for OpenAI (not shown): ", "sk-half-typed\u0003"],
    ],
  );
  expect(code).toBe(130);
  expect(screen).not.toContain("sk-half");
  expect(existsSync(fileOf(home))).toBe(false);
});
