// The offline reviewer: the provider contract, what it understands, and whole turns through the real program.

import { describe, expect, test } from "bun:test";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "../../src/conversation/messages.ts";
import { readDiff } from "../../src/providers/offline-changes.ts";
import { tally } from "../../src/providers/offline-findings.ts";
import { readQuestion } from "../../src/providers/offline-intent.ts";
import { createOfflineProvider } from "../../src/providers/offline.ts";
import { type AcpClient, type Json, answerPermissions, openAgent } from "../support/acp-client.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { type ProviderCase, providerContract } from "./contract.ts";
import { BASH, collect, requestOf } from "./support.ts";

const OPEN_BUCKET = `terraform {
  required_version = ">= 1.6"
}

resource "aws_s3_bucket_public_access_block" "main" {
  bucket                  = "logs"
  block_public_acls       = false
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}
`;
/** Nothing listens there, so that no local model server is found. */
const NO_SERVER = { OLLAMA_HOST: "127.0.0.1:9" };

async function contractCase(asked: string): Promise<ProviderCase> {
  const project = await tempDir({ "main.tf": OPEN_BUCKET });
  return {
    provider: createOfflineProvider(),
    request: requestOf({
      cwd: project.path,
      messages: [
        { role: "system", text: "You help." },
        { role: "user", text: asked },
      ],
    }),
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}

for (const asked of ["review this", "hello", "what changed", "plan"])
  providerContract(`offline, "${asked}"`, () => contractCase(asked));

test("the offline reviewer gives no summary, so that the loop makes its own", async () => {
  const request = requestOf({ tools: [], messages: [{ role: "user", text: "USER: review" }] });
  expect(await collect(createOfflineProvider().stream(request, AbortSignal.timeout(1000)))).toEqual(
    [{ type: "done", finish: "stop", toolCalls: [] }],
  );
});

test("readQuestion understands English and Portuguese", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["review", "Review this project"],
    ["review", "Is anything wrong here?"],
    ["review", "Revise o projeto, por favor"],
    ["review", "Há problemas de segurança?"],
    ["review", "Please review, but do not change anything"],
    ["review", "Revise sem corrigir nada"],
    ["fix", "Review this project and offer safe fixes."],
    ["fix", "Corrija o que for seguro"],
    ["fix", "conserte os erros"],
    ["changes", "What changed?"],
    ["changes", "o que mudou desde o último commit?"],
    ["changes", "Quais alterações existem?"],
    ["plan", "Explain the plan"],
    ["plan", "mostre o plano"],
    ["validate", "check it"],
    ["validate", "Valide os arquivos"],
    ["explain", "What is this?"],
    ["explain", "Explique o projeto"],
    ["explain", "O que este projeto faz?"],
    ["chat", "hello"],
    ["chat", "Obrigado!"],
  ];
  expect(cases.map(([, text]) => [readQuestion(text).intent, text])).toEqual(
    cases.map(([intent, text]) => [intent, text]),
  );
});

test("readQuestion tells addresses from files, and hears a no to edits", () => {
  expect(readQuestion("explain aws_vpc.main please").address).toBe("aws_vpc.main");
  expect(readQuestion("where is var.region?")).toMatchObject({
    intent: "explain",
    address: "var.region",
  });
  expect(readQuestion("explain main.tf").address).toBeUndefined();
  expect(readQuestion("review, don't change anything").mayOffer).toBe(false);
  expect(readQuestion("revise, mas não altere nada").mayOffer).toBe(false);
  expect(readQuestion("review").mayOffer).toBe(true);
});

test("tally names only what is there", () => {
  const finding = { file: "a.tf", line: 1, column: 1, code: "X", message: "m" } as const;
  expect(tally([])).toBe("nothing");
  expect(tally([{ ...finding, severity: "error" }])).toBe("1 error");
  const three = (["info", "error", "error"] as const).map((severity) => ({ ...finding, severity }));
  expect(tally(three)).toBe("2 errors and 1 note");
});

test("readDiff counts lines and names the blocks around them", () => {
  const diff = [
    "diff --git a/main.tf b/main.tf",
    "--- a/main.tf",
    "+++ b/main.tf",
    '@@ -3 +3 @@ resource "aws_vpc" "main" {',
    '-  cidr_block = "10.0.0.0/8"',
    '+  cidr_block = "10.0.0.0/16"',
    "@@ -9,0 +10,3 @@",
    '+resource "aws_subnet" "a" {',
    "+}",
    "+",
  ].join("\n");
  expect(readDiff(diff).map((file) => ({ ...file, blocks: [...file.blocks] }))).toEqual([
    {
      path: "main.tf",
      added: 4,
      removed: 1,
      blocks: ['resource "aws_vpc" "main"', 'resource "aws_subnet" "a"'],
    },
  ]);
});

type Told = { readonly client: AcpClient; readonly asked: Json[]; readonly text: string };

/** One turn of the real program without a model; permission questions get an answer of that kind. */
async function ask(project: TempDir, prompt: string, answer = "reject_once"): Promise<Told> {
  await using client = await openAgent("stdio", { env: NO_SERVER });
  const asked = answerPermissions(client, answer);
  const sessionId = await client.newSession(project.path);
  expect((await client.prompt(sessionId, prompt))["stopReason"]).toBe("end_turn");
  client.assertConformant();
  return { client, asked, text: client.text(sessionId) };
}

async function git(project: TempDir, ...args: readonly string[]): Promise<void> {
  const child = Bun.spawn(["git", "-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
    cwd: project.path,
    stdout: "ignore",
    stderr: "pipe",
  });
  const [err, code] = await Promise.all([child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(err);
}

describe("a turn without a model", () => {
  test("fix asks before each edit, edits, checks again and says what is left", async () => {
    await using project = await tempDir({ "main.tf": OPEN_BUCKET });
    const { asked, text } = await ask(project, "Corrija o que for seguro", "allow_once");
    expect(asked).toHaveLength(1);
    expect(readFileSync(project.file("main.tf"), "utf8")).toContain(
      "block_public_acls       = true",
    );
    expect(text).toContain("1 fix was made.");
    expect(text).not.toMatch(/\b0 \w/);
    expect(text).toContain("no language model");
  });

  test("a no leaves every byte as it was", async () => {
    await using project = await tempDir({ "main.tf": OPEN_BUCKET });
    const { asked, text } = await ask(project, "review", "reject_once");
    expect(asked.length).toBeGreaterThan(0);
    expect(readFileSync(project.file("main.tf"), "utf8")).toBe(OPEN_BUCKET);
    expect(text).toContain("main.tf:7:");
    expect(text).toContain("Nothing was changed, 1 not allowed.");
  });

  test("a review that may change nothing asks nothing", async () => {
    await using project = await tempDir({ "main.tf": OPEN_BUCKET });
    const { asked, text } = await ask(project, "Review it, but do not change anything");
    expect(asked).toEqual([]);
    expect(text).toContain("1 finding has a safe fix");
  });

  test("what changed names files, blocks and findings by git", async () => {
    await using project = await tempDir({ "main.tf": OPEN_BUCKET.replace("false", "true") });
    await git(project, "init", "-q");
    await git(project, "add", ".");
    await git(project, "commit", "-qm", "one");
    await Bun.write(project.file("main.tf"), OPEN_BUCKET);
    await Bun.write(project.file("new.tf"), 'output "x" {\n  value = var.gone\n}\n');
    const { asked, text } = await ask(project, "O que mudou?");
    expect(asked).toEqual([]);
    expect(text).toContain(
      '- main.tf (+1 −1): `resource "aws_s3_bucket_public_access_block" "main"`',
    );
    expect(text).toContain("- new.tf (new, not in git yet)");
    expect(text).toMatch(/new\.tf:2:\d+ error HCL-REF/);
    expect(text).toContain("not a plan");
  });

  test("what changed outside of git says so", async () => {
    await using project = await tempDir({ "main.tf": OPEN_BUCKET });
    expect((await ask(project, "what changed?")).text).toContain("no git repository");
  });

  test("a plan file that lies there is told as a card, by review and by plan", async () => {
    await using project = await tempDir({ "main.tf": OPEN_BUCKET });
    cpSync(
      join(import.meta.dir, "../fixtures/plans/terraform-data.json"),
      project.file("plan.json"),
    );
    for (const prompt of ["plan", "review, no edits"]) {
      const { text } = await ask(project, prompt);
      expect(text).toContain("plan.json:");
      expect(text).toMatch(/## Plan: (safe|review|danger)/);
    }
  });

  test("explain tells what an address needs and what needs it", async () => {
    await using project = await tempDir({
      "main.tf":
        'variable "name" {\n  type = string\n}\nresource "terraform_data" "x" {\n  input = var.name\n}\noutput "o" {\n  value = terraform_data.x.output\n}\n',
    });
    const { text } = await ask(project, "explain terraform_data.x");
    expect(text).toContain("It stands at:\n1 place for where_is terraform_data.x\nmain.tf:4");
    expect(text).toMatch(/It needs:\n.*\nmain\.tf:1 /);
    expect(text).toMatch(/These need it:\n.*\nmain\.tf:7 /);
  });

  test("a greeting is answered with what it is and what it can do", async () => {
    await using project = await tempDir({ "main.tf": OPEN_BUCKET });
    const { text } = await ask(project, "Olá!");
    expect(text).toContain("rules, no language model");
    expect(text).toContain('"what changed"');
  });
});

test("a history of denied, failed and made edits always comes to an end", async () => {
  await using project = await tempDir({ "main.tf": OPEN_BUCKET });
  for (const answer of [
    "Permission denied.",
    "old_string does not occur",
    "Edited main.tf: lies",
  ]) {
    const messages: Message[] = [{ role: "user", text: "fix" }];
    let requests = 0;
    for (; requests < 20; requests += 1) {
      const request = requestOf({ cwd: project.path, messages, tools: [BASH] });
      const events = await collect(
        createOfflineProvider().stream(request, AbortSignal.timeout(5000)),
      );
      const last = events.at(-1);
      if (last?.type !== "done" || last.toolCalls.length === 0) break;
      messages.push({ role: "assistant", text: "", toolCalls: last.toolCalls });
      for (const { id, name } of last.toolCalls)
        messages.push({
          role: "tool",
          toolCallId: id,
          text:
            name === "edit_file"
              ? answer
              : name === "iac_validate"
                ? "found\nmain.tf:7:3 error IAC-AWS-003 x"
                : "ok",
        });
    }
    expect(requests).toBeLessThan(6);
  }
});
