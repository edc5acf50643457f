import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseJsonc } from "../../src/config/jsonc.ts";

test("parseJsonc reads comments, trailing commas and a byte order mark, and knows each value's line", () => {
  const text = `\ufeff// about
{
  "url": "http://x/*no comment*/", /* several
  lines */
  "list": [
    1, // one
    { "deep": "a\\"b" },
  ],
}
`;
  const parsed = parseJsonc(text);
  if (!parsed.ok) throw new Error(parsed.message);
  expect(parsed.value).toEqual({ url: "http://x/*no comment*/", list: [1, { deep: 'a"b' }] });
  expect(parsed.lineOf(["list"])).toBe(5);
  expect(parsed.lineOf(["list", 1, "deep"])).toBe(7);
  expect(parsed.lineOf(["list", 1, "absent", 4])).toBe(7);
});

test("parseJsonc tells the line of a fault and what was expected there", () => {
  const faults: readonly (readonly [string, number, string])[] = [
    ['{\n "a": 1,\n "b" 2 }', 3, 'expected a colon behind "b", found 2'],
    ['{\n "a": 1\n "b": 2 }', 3, 'expected a comma or }, found "b"'],
    ["{a:1}", 1, "expected a name in double quotes, found a"],
    ['{"a": \n\n', 3, "expected a value, found the end of the file"],
    ["{} {}", 1, "expected the end of the file, found {"],
    ['{"a": 01}', 1, "expected a comma or }, found 1"],
    ['{"a": "x\ty\\q"}', 1, "this text holds an escape or a character that JSON forbids"],
    ["[".repeat(100_000), 1, "values are nested too deeply"],
  ];
  for (const [text, line, message] of faults) {
    expect(parseJsonc(text)).toEqual({ ok: false, line, message });
  }
});

test("parseJsonc reads all of JSON as JSON.parse does", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      const parsed = parseJsonc(text);
      expect(parsed.ok && parsed.value).toEqual(JSON.parse(text));
    }),
    { seed: 5 },
  );
});

test("parseJsonc makes __proto__ a member like any other", () => {
  const parsed = parseJsonc('{"__proto__": {"mode": "auto"}}');
  expect(parsed.ok && Object.keys(Object(parsed.value))).toEqual(["__proto__"]);
});
