// What must hold for any call: more rules never allow more, fewer grants never allow more, and a higher class is never
// treated more leniently (plan mode apart, whose point is that plans may be asked about and local writes may not).

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { CommandClass } from "../../src/conversation/access.ts";
import type { Decision, PolicyContext } from "../../src/permissions/policy.ts";
import type { Grant } from "../../src/permissions/grants.ts";
import { MODE_IDS } from "../../src/permissions/modes.ts";
import { decide } from "../../src/permissions/policy.ts";
import type { PermissionRequest } from "../../src/permissions/request.ts";
import { parseRules } from "../../src/permissions/rules.ts";
import { fileCall, inner, line, pathAt, ROOT } from "./calls.ts";

const LENIENCE = { allow: 2, ask: 1, deny: 0 } as const;
const lenience = (decision: Decision): number => LENIENCE[decision.decision];
const CLASSES: readonly CommandClass[] = ["read", "write", "plan", "mutate", "destroy", "unknown"];
const PATHS = [
  "/app/a.tf",
  "/app/.env",
  "/app/m/x.tf",
  "/app/terraform.tfstate",
  "/etc/x",
  "/app-evil/x",
];
const RULES = [
  "bash",
  "bash(terraform:*)",
  "bash(terraform plan:*)",
  "bash(a b)",
  "file(**/.env)",
  "read_file(m/**)",
  "write_file",
  "edit_file(**)",
  "web_fetch(*.example.com)",
  "mcp__s__*",
  "agent",
  "*",
];
const COMMANDS = ["terraform plan", "terraform init", "terraform ?", "a b", "cat x"];

const pathArb = fc.constantFrom(...PATHS);
const innerArb = fc.record({
  text: fc.constantFrom(...COMMANDS),
  klass: fc.constantFrom(...CLASSES),
  read: fc.option(pathArb),
  write: fc.option(pathArb),
});
type Made = typeof innerArb extends fc.Arbitrary<infer T> ? T : never;

const named = (path: string | null) =>
  path === null ? [] : [{ ...pathAt(path), isDirectory: false }];
const toLine = (made: readonly Made[]): PermissionRequest => ({
  tool: "bash",
  access: line(
    made.map(({ text, klass, read, write }) =>
      inner(text, klass, {
        reads: read === null ? [] : [read],
        writes: write === null ? [] : [write],
      }),
    ),
  ),
  commandPaths: made.map(({ read, write }) => ({
    reads: named(read),
    writes: named(write),
    words: [],
    places: [],
  })),
});
const lineArb = fc.array(innerArb, { minLength: 1, maxLength: 3 });
const requestArb: fc.Arbitrary<PermissionRequest> = fc.oneof(
  lineArb.map(toLine),
  fc
    .tuple(fc.constantFrom("read_file", "grep", "write_file", "edit_file"), pathArb, pathArb)
    .map(([tool, path, real]) => fileCall(tool, path, real)),
  fc.constantFrom("x.example.com", "localhost").map((host): PermissionRequest => ({
    tool: "web_fetch",
    access: { type: "fetch", url: `https://${host}`, host },
  })),
  fc.boolean().map((readOnlyHint): PermissionRequest => ({
    tool: "mcp__s__t",
    access: { type: "mcp", server: "s", tool: "t", readOnlyHint },
  })),
);
const grantArb: fc.Arbitrary<Grant> = fc.record({
  answer: fc.constantFrom("allow" as const),
  tool: fc.constantFrom("bash", "edit_file", "write_file", "mcp__s__t"),
  class: fc.constantFrom(...CLASSES),
  scope: fc.oneof(
    fc
      .constantFrom(...COMMANDS)
      .map((text) => ({ type: "words" as const, words: text.split(" ").slice(0, 2) })),
    fc.constant({ type: "directory" as const, path: "/app/m" }),
    fc.constant({ type: "tool" as const }),
  ),
});
const rulesArb = fc.array(fc.constantFrom(...RULES), { maxLength: 3 });
const contextArb = fc
  .record({
    mode: fc.constantFrom(...MODE_IDS),
    grants: fc.array(grantArb, { maxLength: 3 }),
    deny: rulesArb,
    ask: rulesArb,
    allow: rulesArb,
  })
  .map(({ mode, grants, ...texts }): PolicyContext => ({
    mode,
    grants,
    roots: [ROOT],
    rules: parseRules(texts).rules,
  }));

test("adding a deny or ask rule, or dropping an allow rule, never allows more", () => {
  fc.assert(
    fc.property(requestArb, contextArb, fc.constantFrom(...RULES), (request, context, text) => {
      const more = parseRules({ deny: [text], ask: [text] }).rules;
      const before = lenience(decide(request, context));
      const { rules } = context;
      for (const stricter of [
        { ...rules, deny: [...rules.deny, ...more.deny] },
        { ...rules, ask: [...rules.ask, ...more.ask] },
        { ...rules, allow: rules.allow.slice(1) },
      ])
        expect(lenience(decide(request, { ...context, rules: stricter }))).toBeLessThanOrEqual(
          before,
        );
    }),
    { numRuns: 600 },
  );
});

test("removing a grant never allows more", () => {
  fc.assert(
    fc.property(requestArb, contextArb, (request, context) => {
      const fewer = { ...context, grants: context.grants.slice(1) };
      expect(lenience(decide(request, fewer))).toBeLessThanOrEqual(
        lenience(decide(request, context)),
      );
    }),
    { numRuns: 600 },
  );
});

test("a higher class, and one more command on the line, are never treated more leniently", () => {
  fc.assert(
    fc.property(lineArb, contextArb, innerArb, (made, context, extra) => {
      fc.pre(context.mode !== "plan");
      const before = lenience(decide(toLine(made), context));
      const raised = made.map((one) => ({
        ...one,
        klass: CLASSES[Math.min(5, CLASSES.indexOf(one.klass) + 1)] ?? one.klass,
      }));
      expect(lenience(decide(toLine(raised), context))).toBeLessThanOrEqual(before);
      expect(lenience(decide(toLine([...made, extra]), context))).toBeLessThanOrEqual(before);
    }),
    { numRuns: 600 },
  );
});

test("no question about destroy, unknown, outside or secrets carries an always", () => {
  fc.assert(
    fc.property(requestArb, contextArb, (request, context) => {
      const decision = decide(request, context);
      if (decision.decision !== "ask" || decision.always === undefined) return;
      expect(decision.reasons).toEqual([]);
      for (const grant of decision.always.grants)
        expect(["destroy", "unknown"]).not.toContain(grant.class);
    }),
    { numRuns: 400 },
  );
});
