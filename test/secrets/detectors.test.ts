// Single detectors, where a corpus figure would not say which of them works.

import { expect, test } from "bun:test";
import { strengthOfKey } from "../../src/secrets/key-names.ts";
import { createMasker } from "../../src/secrets/mask.ts";
import { structureSpans } from "../../src/secrets/structure.ts";
import { readCorpus, scoreCorpus } from "./corpus.ts";

const mask = (text: string, path?: string) =>
  createMasker({ level: "balanced" }).mask(text, path === undefined ? {} : { path });

test("strengthOfKey tells secrets from what is said about them", () => {
  for (const name of [
    "db_password",
    "apiKey",
    "client-secret-value",
    "MYSQL_PWD",
    "privateKeyPem",
    "auth.token2",
  ])
    expect([name, strengthOfKey(name) === "none"]).toEqual([name, false]);
  for (const name of [
    "password_length",
    "secret_name",
    "public_key",
    "token_ttl",
    "monkey",
    "primary_key",
    "secretArn",
    "author",
  ])
    expect([name, strengthOfKey(name)]).toEqual([name, "none"]);
});

test("structureSpans follows the masks of a plan and leaves booleans and small numbers", () => {
  const text = JSON.stringify({
    resource_changes: [
      {
        type: "x_y",
        change: {
          after: { a: "one", b: [{ c: "two", d: "three" }], on: true, n: 12 },
          after_sensitive: { b: [{ c: true }], on: true, n: true },
        },
      },
    ],
  });
  expect(
    structureSpans(text).map(({ start, end, label }) => [text.slice(start, end), label]),
  ).toEqual([["two", "x_y.c"]]);
});

test("a plan's old and new value, lists, heredocs and escaped JSON are all masked", () => {
  expect(mask('~ password = "old-Value1" -> "new-Value2"')).toBe(
    '~ password = "«secret:password#1»" -> "«secret:password#2»"',
  );
  expect(mask('api_tokens = ["aaaa1111", "bbbb2222"]')).toBe(
    'api_tokens = ["«secret:api_tokens#1»", "«secret:api_tokens#2»"]',
  );
  expect(mask("private_key = <<EOT\nabc-line-1\nabc-line-2\nEOT\nname = 1")).toBe(
    "private_key = <<EOT\n«secret:private_key#1»\n«secret:private_key#2»\nEOT\nname = 1",
  );
  const inside = (value: string) =>
    JSON.stringify({ body: JSON.stringify({ token: value, n: 1 }) });
  expect(mask(inside("ab12cd34ef"))).toBe(inside("«secret:token#1»"));
});

test("unquoted words in source code are code", () => {
  expect(mask("const token = nextToken2;\nlet password = readLine1(\n", "a.ts")).toContain(
    "nextToken2",
  );
  expect(mask("password = nextToken2\n", "a.ini")).not.toContain("nextToken2");
});

test("the corpus that is tuned on neither leaks nor raises a false alarm", () => {
  const { leaked, falseAlarms } = scoreCorpus(readCorpus("seen"));
  expect({ leaked, falseAlarms }).toEqual({ leaked: [], falseAlarms: [] });
});

test("the corpus written after the code does no worse than when it was first measured", () => {
  const { leaked, falseAlarms } = scoreCorpus(readCorpus("unseen"));
  expect(leaked.length).toBeLessThanOrEqual(7);
  expect(falseAlarms.length).toBeLessThanOrEqual(0);
});

test("keys inside a value that is not itself masked are still looked at", () => {
  const text = String.raw`cookie = "first {\"password\": \"Q9-inner-7x\"} last"`;
  expect(mask(text)).toBe(text.replace("Q9-inner-7x", "\u00ABsecret:password#1\u00BB"));
});

test("blocks that never end are masked in bounded time", () => {
  const text = "token = <<EOF\n".repeat(10_000);
  const started = performance.now();
  mask(text);
  const stream = createMasker({ level: "balanced" }).stream();
  for (let at = 0; at < text.length; at += 4_096) stream.push(text.slice(at, at + 4_096));
  stream.flush();
  expect(performance.now() - started).toBeLessThan(10_000);
});
