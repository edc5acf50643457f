import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  bitesCommand,
  coversCommand,
  hostsOf,
  matchesHost,
} from "../../src/permissions/command-rules.ts";
import { findBitingRule, pathDenier } from "../../src/permissions/path-rules.ts";
import { parseRule, parseRules } from "../../src/permissions/rules.ts";
import { inner, pathAt } from "./calls.ts";

test("parseRule reads the documented forms", () => {
  expect(parseRule("bash(terraform destroy:*)")).toEqual({
    ok: true,
    rule: {
      text: "bash(terraform destroy:*)",
      tool: "bash",
      pattern: { type: "words", words: ["terraform", "destroy"], open: true },
    },
  });
  expect(parseRule("file(**/.env*)")).toEqual({
    ok: true,
    rule: { text: "file(**/.env*)", tool: "file", pattern: { type: "path", glob: "**/.env*" } },
  });
  expect(parseRule("web_fetch(Docs.example.com)")).toMatchObject({
    rule: { pattern: { type: "host", host: "docs.example.com" } },
  });
  expect(parseRule(" mcp__github__* ")).toEqual({
    ok: true,
    rule: { text: "mcp__github__*", tool: "mcp__github__*" },
  });
  expect(parseRule("bash(*)")).toMatchObject({ rule: { pattern: { words: [], open: true } } });
});

test("parseRule says what is wrong and how to write it", () => {
  for (const [text, hint] of [
    ["", "tool name"],
    ["bash(", "tool name"],
    ["bash()", "empty"],
    ["bash(a && b)", "one command"],
    ["bash(terraform | sh)", "one command"],
    ["web_fetch(https://x.example/y)", "is a host"],
    ["mcp__a__b(x)", "no pattern"],
    ["read_file(../x)", "absolute path"],
  ] as const) {
    const parsed = parseRule(text);
    expect(parsed.ok ? "parsed" : parsed.error).toContain(hint);
  }
  expect(parseRules({ deny: ["bash(", "bash"], allow: ["web_fetch(/)"] }).errors).toHaveLength(2);
});

const words = (text: string) => {
  const parsed = parseRule(text);
  if (!parsed.ok || parsed.rule.pattern?.type !== "words") throw new Error(text);
  return parsed.rule.pattern;
};

test("a denying word rule sees through full paths, flags before the verb and longer commands", () => {
  const rule = words("bash(terraform destroy:*)");
  for (const text of [
    "terraform destroy",
    "/usr/bin/terraform destroy -auto-approve",
    "terraform -chdir=prod destroy",
    "terraform --context prod destroy x",
    "terraform.exe destroy",
  ])
    expect([text, bitesCommand(rule, inner(text, "destroy"))]).toEqual([text, "yes"]);
  for (const text of ["terraform plan", "terraformer destroy", "echo terraform destroy"])
    expect([text, bitesCommand(rule, inner(text, "read"))]).toEqual([text, "no"]);
  expect(
    bitesCommand(words("bash(terraform destroy)"), inner("terraform destroy -x", "destroy")),
  ).toBe("yes");
  expect(
    bitesCommand(
      words("bash(aws ec2 terminate-*:*)"),
      inner("aws --profile p ec2 terminate-instances", "destroy"),
    ),
  ).toBe("yes");
});

test("a denying word rule takes a word known only at run time, and an unknown command, for possible", () => {
  const rule = words("bash(terraform destroy:*)");
  expect(bitesCommand(rule, inner("terraform ?", "unknown"))).toBe("maybe");
  expect(bitesCommand(rule, inner("? destroy", "unknown"))).toBe("maybe");
  expect(bitesCommand(rule, inner("python x.py", "unknown"))).toBe("maybe");
  expect(bitesCommand(rule, inner("ls ?", "read"))).toBe("no");
});

test("bitesCommand stays fast with hundreds of flags", () => {
  const text = `terraform ${"-var a ".repeat(400)}plan`;
  const started = performance.now();
  expect(bitesCommand(words("bash(terraform destroy x:*)"), inner(text, "plan"))).toBe("no");
  expect(performance.now() - started).toBeLessThan(500);
});

test("an allowing word rule takes literal words only", () => {
  const rule = words("bash(terraform plan:*)");
  expect(coversCommand(rule, inner("terraform plan -out=x", "plan"))).toBe(true);
  expect(coversCommand(rule, inner("/tmp/terraform plan", "plan"))).toBe(false);
  expect(coversCommand(rule, inner("terraform ?", "plan"))).toBe(false);
  expect(coversCommand(words("bash(terraform plan)"), inner("terraform plan -x", "plan"))).toBe(
    false,
  );
});

test("a denied path is denied by any spelling, below a denied folder and through a link", () => {
  const { rules } = parseRules({ deny: ["read_file(**/.env*)", "file(secrets)", "file(/etc/**)"] });
  const denies = pathDenier(rules.deny, ["/app"]);
  const denied = (path: string, real = path) => denies(pathAt(path, real));
  for (const path of [
    "/app/.env",
    "/app/a/b/.env.local",
    "/app/.ENV",
    "/app/secrets/deep/x",
    "/etc/passwd",
    "/x/.env",
  ])
    expect([path, denied(path)]).toEqual([path, true]);
  expect(denied("/app/notes.txt", "/app/.env")).toBe(true);
  expect(denied("/app/.env", "/app/plain.txt")).toBe(true);
  for (const path of ["/app/main.tf", "/app/env", "/etcetera", "/app/modules/[prod]/x.tf"])
    expect([path, denied(path)]).toEqual([path, false]);
});

test("what a walk leaves out is what a read is refused, whichever folder comes first", () => {
  const { rules } = parseRules({
    deny: ["read_file(**/.env*)", "file(a/b)", "write_file(c)", "grep(**/d/*)", "file(/app/é/**)"],
  });
  const name = fc.constantFrom("a", "b", "c", "d", ".env", "É", "e\u0301", "x.tf");
  const path = fc.array(name, { maxLength: 5 }).map((names) => ["", "app", ...names].join("/"));
  fc.assert(
    fc.property(fc.array(path, { maxLength: 12 }), (paths) => {
      const denies = pathDenier(rules.deny, ["/app"]);
      for (const one of paths) {
        const touch = { tool: "read_file", how: "read" } as const;
        const found = findBitingRule(rules.deny, touch, pathAt(one, one), ["/app"]);
        expect([one, denies(pathAt(one, one))]).toEqual([one, found !== undefined]);
      }
    }),
  );
});

test("hosts are found in URLs of any command and bare for curl", () => {
  expect(hostsOf(inner("git clone https://u:p@git.example.com/x", "write"))).toEqual([
    "git.example.com",
  ]);
  expect(hostsOf(inner("curl evil.example.com/x -o y", "mutate"))).toEqual(["evil.example.com"]);
  const parsed = parseRule("web_fetch(*.example.com)");
  expect(parsed.ok && matchesHost(parsed.rule, "a.example.com:8443")).toBe(true);
  expect(parsed.ok && matchesHost(parsed.rule, "example.com.evil.org")).toBe(false);
});
