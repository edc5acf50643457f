// `iac-code doctor`, as a person runs it: what works, what is broken, and never a key.

import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { chunks, fakeModel, status, text } from "../support/fake-model.ts";
import { type CliOptions, runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

type Check = { readonly state: string; readonly what: string; readonly detail: string };

/** No program of the trade is found there. */
const BARE_PATH = { PATH: "/nonexistent" };

async function doctor(
  options: CliOptions = {},
): Promise<{ code: number; checks: Check[]; raw: string }> {
  const { code, out, err } = await runCli(["doctor", "--json"], {
    ...options,
    env: { ...BARE_PATH, ...options.env },
  });
  return { code, checks: JSON.parse(out) as Check[], raw: out + err };
}
const detailOf = (checks: readonly Check[], what: string): string =>
  checks
    .flatMap((check) => (check.what === what ? [`${check.state}: ${check.detail}`] : []))
    .join("\n");

test("doctor without a key says that the offline reviewer answers, and nothing is broken", async () => {
  const { code, out } = await runCli(["doctor"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^- +model +the offline reviewer answers\. .*iac-code login/m);
  expect(out).toMatch(/^ok +store .*sessions\.db can be written$/m);
  expect(out).toMatch(/^(ok|-) +terraform /m);
  expect(out).not.toContain("BROKEN");
});

test("doctor asks a local server for one word", async () => {
  await using model = await fakeModel([text("ok")], { models: ["tiny"] });
  const { code, checks } = await doctor({ env: { OLLAMA_HOST: model.origin } });
  expect(code).toBe(0);
  expect(detailOf(checks, "model")).toMatch(
    /^ok: ollama\/tiny answered in \d+ ms, Ollama \(OLLAMA_HOST\)$/,
  );
  expect(model.requests).toHaveLength(1);
  expect(model.requests[0]?.body["max_tokens"]).toBe(16);
  model.assertValid();
});

const KEY = "sk-very-secret-0123456789";
const broken = (message: string, code: string) => ({ error: { message, code, type: code } });

test.each([
  [
    "a wrong key",
    status(401, {}, broken(`Incorrect API key provided: ${KEY}`, "invalid_api_key")),
    /refused the API key \(401\).*IACCODE_API_KEY.*iac-code login/,
  ],
  [
    "no credit",
    status(429, {}, broken(`You exceeded your current quota (${KEY})`, "insufficient_quota")),
    /no quota left.*Check plan and billing/,
  ],
  [
    "a missing model",
    status(404, {}, broken("The model `gone` does not exist", "model_not_found")),
    /does not know model gone.*iac-code models/,
  ],
  [
    "a proxy's HTML page",
    chunks(["<!DOCTYPE html><html><body>Sign in</body></html>"], { contentType: "text/html" }),
    /web page instead of a model's answer.*base URL/,
  ],
] as const)(
  "doctor tells %s with the next step, and never the key",
  async (_name, reply, expected) => {
    await using model = await fakeModel([], { fallback: reply });
    const { code, checks, raw } = await doctor({
      env: { IACCODE_BASE_URL: model.url, IACCODE_API_KEY: KEY, IACCODE_MODEL: "gone" },
    });
    expect(code).toBe(1);
    expect(detailOf(checks, "model")).toMatch(expected);
    expect(detailOf(checks, "model")).toStartWith("broken: ");
    expect(raw).not.toContain(KEY);
    expect(model.requests.length).toBeLessThanOrEqual(2);
  },
);

test("doctor names a server that is not there", async () => {
  const { code, checks } = await doctor({
    env: { IACCODE_BASE_URL: "http://127.0.0.1:9/v1", IACCODE_MODEL: "x" },
  });
  expect(code).toBe(1);
  expect(detailOf(checks, "model")).toMatch(/nothing answers at 127\.0\.0\.1:9/);
}, 60_000);

test("doctor names file and line of what is wrong in the configuration", async () => {
  await using home = await tempDir({
    ".iac-code/config.json":
      '{\n  "mode": "yolo",\n  "unknown": 1,\n  "iac": { "binary": "no-such-tofu" }\n}\n',
  });
  await using project = await tempDir({
    ".iac-code/config.json":
      '{ "baseUrl": "http://127.0.0.1:9", "permissions": { "allow": ["bash(*)"] } }\n',
  });
  const { code, checks } = await doctor({ home: home.path, cwd: project.path });
  expect(code).toBe(1);
  expect(detailOf(checks, "configuration")).toMatch(
    /broken: .*config\.json:2: mode: .*no turn runs/,
  );
  expect(detailOf(checks, "configuration")).toMatch(
    /warn: .*config\.json:3: unknown key "unknown"/,
  );
  expect(detailOf(checks, "project")).toMatch(/warn: .*"baseUrl" is ignored/);
  expect(detailOf(checks, "iac.binary")).toMatch(/broken: .*no-such-tofu/);
});

test("doctor finds a base URL without a scheme", async () => {
  const { code, checks } = await doctor({
    env: { IACCODE_BASE_URL: "api.example.com/v1", IACCODE_MODEL: "x" },
  });
  expect(code).toBe(1);
  expect(detailOf(checks, "model")).toMatch(/broken: IACCODE_BASE_URL: .*no scheme/);
});

test("doctor finds rights that let others in, and changes none of what it finds", async () => {
  await using home = await tempDir({ ".iac-code/credentials.json": '{"providers":{}}' });
  const file = home.file(".iac-code/credentials.json");
  chmodSync(file, 0o644);
  const { code, checks } = await doctor({ home: home.path });
  expect(code).toBe(0);
  expect(detailOf(checks, "rights")).toContain(
    `warn: ${file} is open to other users; run: chmod 600 ${file}`,
  );
  expect(statSync(file).mode & 0o777).toBe(0o644);
});

test("doctor says when the store cannot be used", async () => {
  await using home = await tempDir({
    ".iac-code/sessions/sessions.db": "this is no database, it is a text ".repeat(40),
  });
  const { code, checks } = await doctor({ home: home.path });
  expect(code).toBe(1);
  expect(detailOf(checks, "store")).toMatch(/broken: .*sessions\.db cannot be used/);
});

test("doctor finds programs on PATH with their versions, and never runs one of the project's folder", async () => {
  await using project = await tempDir();
  mkdirSync(project.file("bin"));
  const program = project.file("bin/tflint");
  await Bun.write(program, "#!/bin/sh\necho TFLint version 0.99.1\n");
  chmodSync(program, 0o755);
  const found = await doctor({ cwd: project.path, env: { PATH: join(project.path, "bin") } });
  expect(detailOf(found.checks, "tflint")).toBe(`ok: 0.99.1 ${program}`);
  const relative = await doctor({ cwd: project.path, env: { PATH: "bin:." } });
  expect(detailOf(relative.checks, "tflint")).toStartWith("note: not found");
});
