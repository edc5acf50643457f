// Names, schemas, results and reasons: pure functions over what servers may send.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import fc from "fast-check";
import { MAX_RESULT_LENGTH, contentText, toolResultText } from "../../src/mcp/content.ts";
import { argumentFaults, toInputSchema } from "../../src/mcp/input-schema.ts";
import { readPrompts, readTools } from "../../src/mcp/listing.ts";
import { assignNames, fitCommandName } from "../../src/mcp/names.ts";
import { progressThrottle } from "../../src/mcp/progress.ts";
import { reasonWriter } from "../../src/mcp/server-text.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { until } from "./servers.ts";

const thing = fc.record({
  server: fc.oneof(fc.constantFrom("a", "a_", "A", "a.b", "a__b", "é"), fc.string()),
  name: fc.oneof(fc.constantFrom("b", "b.", "b_", "b__c", "c".repeat(90)), fc.string()),
});

test("assignNames gives legal names, each to one thing, the same ones in any order", () => {
  fc.assert(
    fc.property(fc.array(thing, { maxLength: 12 }), (things) => {
      const unique = [...new Map(things.map((one) => [JSON.stringify(one), one])).values()];
      const named = assignNames(unique);
      for (const name of named.keys()) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(named.size).toBe(unique.length);
      const again = new Map(
        [...assignNames(unique.toReversed())].map(([name, one]) => [one, name]),
      );
      for (const [name, one] of named) expect(again.get(one)).toBe(name);
      for (const name of assignNames(unique, fitCommandName).keys())
        expect(name).toMatch(/^[a-z][a-z0-9_-]{0,63}$/);
    }),
  );
});

test("the SDK is loaded on demand only, so that the start does not pay for it", () => {
  const source = join(import.meta.dir, "../../src");
  const loading = [...new Glob("**/*.ts").scanSync(source)].filter((file) =>
    /^import (?!type )[^;]*"@modelcontextprotocol/m.test(readFileSync(join(source, file), "utf8")),
  );
  expect(loading).toEqual([]);
});

test("assignNames keeps a name that is fit and alone", () => {
  const named = assignNames([
    { server: "github", name: "create_issue" },
    { server: "a", name: "b__c" },
    { server: "a__b", name: "c" },
  ]);
  const [first, second, third] = [...named.keys()];
  expect(first).toBe("mcp__github__create_issue");
  expect(second).toMatch(/^mcp__a__b__c_[0-9a-f]{8}$/);
  expect(third).toMatch(/^mcp__a__b__c_[0-9a-f]{8}$/);
});

test("toInputSchema makes an object schema of anything and keeps a good one", () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(toInputSchema(value)["type"]).toBe("object");
    }),
  );
  const good = {
    type: "object",
    properties: { a: { $ref: "#/$defs/x" } },
    required: ["a"],
    $defs: { x: { type: "string" } },
  };
  expect(toInputSchema({ $schema: "https://json-schema.org/draft-07", ...good })).toEqual(good);
});

test("argumentFaults finds what is plainly wrong at the top and nothing else", () => {
  const schema: JsonObject = {
    type: "object",
    properties: {
      count: { type: "integer" },
      size: { enum: ["s", "m"] },
      any: { type: ["string", "null"] },
      odd: { type: "date" },
      deep: { type: "object", properties: { x: { type: "string" } }, required: ["x"] },
    },
    required: ["count"],
  };
  expect(
    argumentFaults(schema, { count: 1, size: "m", any: null, odd: 5, deep: {}, more: 1 }),
  ).toEqual([]);
  expect(argumentFaults(schema, { size: "l", any: 5 })).toEqual([
    "count: is missing",
    'size: must be one of "s", "m"',
    "any: must be string or null",
  ]);
  expect(argumentFaults(schema, { count: 1.5 })).toEqual(["count: must be integer"]);
});

test("whatever a server lists or answers is read without a throw, and bounded", () => {
  fc.assert(
    fc.property(fc.array(fc.anything()), (items) => {
      readTools({ items, problems: [] });
      readPrompts({ items, problems: [] });
      expect(typeof contentText(items)).toBe("string");
      expect(toolResultText({ content: items }).length).toBeLessThan(MAX_RESULT_LENGTH + 200);
    }),
  );
});

test("toolResultText falls back to structured content, then says that there is nothing", () => {
  expect(toolResultText({ structuredContent: { a: 1 } })).toBe('{\n  "a": 1\n}');
  expect(toolResultText({ content: [{ type: "text", text: "x" }], structuredContent: 1 })).toBe(
    "x",
  );
  expect(toolResultText({ content: [] })).toBe("(no output)");
});

test("a reason holds no value of the server's settings and is one short line", () => {
  const write = reasonWriter({
    type: "http",
    name: "x",
    url: "https://me:hunter22@example.com/?key=abcdef123",
    headers: { Authorization: "Bearer tokentoken" },
  });
  const reason = write(`refused\n tokentoken for me:hunter22@ with abcdef123 ${"x".repeat(900)}.`);
  expect(reason).toStartWith("refused «hidden» for me:«hidden»@ with «hidden»");
  expect(reason.length).toBeLessThanOrEqual(300);
  const stdio = { type: "stdio", name: "x", command: "x", args: [] } as const;
  expect(reasonWriter({ ...stdio, env: { A: "1", B: "sesame" } })("1 Sesame sesame.")).toBe(
    "1 Sesame «hidden»",
  );
});

test("progress is shown at once, then the latest a few times a second, and never after the end", async () => {
  const shown: string[] = [];
  const throttle = progressThrottle((text) => shown.push(text));
  for (let progress = 1; progress <= 50; progress += 1) throttle.push({ progress, total: 50 });
  expect(shown).toEqual(["Progress: 1 of 50"]);
  await until(() => shown.length === 2);
  expect(shown[1]).toBe("Progress: 50 of 50");
  throttle.push({ progress: 51, message: "more" });
  throttle[Symbol.dispose]();
  await Bun.sleep(300);
  expect(shown).toHaveLength(2);
});
