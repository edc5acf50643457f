// Server-sent events as real servers write them.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createSseParser, objectsOf, type SseItem } from "../../src/providers/sse-parse.ts";
import { type BodyItem, createBodyReader } from "../../src/providers/stream-body.ts";
import { cut } from "./replay.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
function parse(...packets: readonly Uint8Array[]): SseItem[] {
  const parser = createSseParser();
  return [...packets.flatMap((packet) => parser.push(packet)), ...parser.end()];
}
const dataOf = (text: string) =>
  parse(bytesOf(text)).flatMap((item) => (item.type === "data" ? [item.data] : []));

describe("createSseParser", () => {
  test.each([
    ["LF", "data: a\n\ndata: b\n\n"],
    ["CRLF", "data: a\r\n\r\ndata: b\r\n\r\n"],
    ["CR", "data: a\r\rdata: b\r\r"],
    ["no blank after the colon", "data:a\n\ndata:b\n\n"],
    [
      "comments and other fields",
      ": ping\n\nevent: x\nid: 1\nretry: 5\ndata: a\n\n: p\ndata: b\n\n",
    ],
    ["a byte order mark", "\ufeffdata: a\n\ndata: b\n\n"],
    ["no last blank line", "data: a\n\ndata: b\n"],
    ["no last line end", "data: a\n\ndata: b"],
    ["many blank lines", "\n\n\ndata: a\n\n\n\n\ndata: b\n\n"],
  ])("reads %s", (_name, text) => {
    expect(dataOf(text)).toEqual(["a", "b"]);
  });

  test("joins the data lines of one event", () => {
    expect(dataOf("data: a\ndata: b\n\n")).toEqual(["a\nb"]);
  });

  test("any cut into packets gives the same events, also inside a character and between CR and LF", () => {
    const part = fc.constantFrom(
      'data: {"t":"日本 🚀"}',
      "data:x",
      ": ping",
      "",
      "event: m",
      "data: ",
    );
    const end = fc.constantFrom("\n", "\r\n", "\r");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(part, end), { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        (lines, places) => {
          const bytes = bytesOf(lines.map(([text, mark]) => text + mark).join(""));
          expect(parse(...cut(bytes, places))).toEqual(parse(bytes));
          expect(parse(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(parse(bytes));
        },
      ),
    );
  });

  test("a long line in small packets takes time in proportion to its length", () => {
    const parser = createSseParser();
    const packet = bytesOf("x".repeat(64));
    parser.push(bytesOf("data: "));
    const before = performance.now();
    for (let n = 0; n < 100_000; n += 1) parser.push(packet);
    expect(parser.push(bytesOf("\n\n"))).toHaveLength(1);
    expect(performance.now() - before).toBeLessThan(2000);
  });
});

describe("objectsOf", () => {
  test.each([
    ["one object", `{"a":1}`, [{ a: 1 }]],
    ["two on two lines", `{"a":1}\n{"b":"}{"}`, [{ a: 1 }, { b: "}{" }]],
    ["two without a break", `{"a":1}{"b":2}`, [{ a: 1 }, { b: 2 }]],
    ["a second event glued on", `{"a":1}data: {"b":2}data: [DONE]`, [{ a: 1 }, { b: 2 }, "[DONE]"]],
    ["half an object", `{"a":1`, undefined],
    ["a web page", `<html>`, undefined],
  ])("reads %s", (_name, data, expected) => {
    expect(objectsOf(data)).toEqual(expected);
  });
});

describe("createBodyReader", () => {
  const read = (text: string) => {
    const reader = createBodyReader();
    return [
      ...[...bytesOf(text)].flatMap((byte) => reader.push(Uint8Array.of(byte))),
      ...reader.end(),
    ];
  };
  test.each<[string, string, readonly BodyItem[]]>([
    ["one JSON document", `\ufeff\n {"a":1} `, [{ type: "object", value: { a: 1 } }]],
    [
      "lines of JSON",
      `{"a":1}\n{"b":2}\n`,
      [
        { type: "object", value: { a: 1 } },
        { type: "object", value: { b: 2 } },
      ],
    ],
    [
      "an error in an array",
      `[{"error":{"code":429}}]`,
      [{ type: "object", value: { error: { code: 429 } } }],
    ],
    [
      "a web page",
      "\n<!DOCTYPE html><html>data: {}\n\n</html>",
      [{ type: "not_json", isHtml: true }],
    ],
    ["plain text", "upstream timed out\n\n", []],
    ["nothing", "", []],
    ["a document that was cut", `{"a":`, [{ type: "not_json", isHtml: false }]],
    ["[DONE]", "data: [DONE]", [{ type: "done" }]],
  ])("reads %s, byte by byte", (_name, text, expected) => {
    expect(read(text)).toEqual([...expected]);
  });
});
