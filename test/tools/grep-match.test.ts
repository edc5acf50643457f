// Searching one file's bytes: nothing that makes it fast may hide a match or make one up.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { requiredLiterals } from "../../src/tools/grep-literal.ts";
import { createMatcher, toRegExp } from "../../src/tools/grep-match.ts";
import { createTextProbe, withoutLineEnds } from "../../src/tools/grep-whole-text.ts";

test("requiredLiterals names what every match contains", () => {
  const cases: readonly (readonly [string, readonly string[] | undefined])[] = [
    ["foo", ["foo"]],
    ["foo\\.bar+", ["foo.bar"]],
    ["colou?r", ["colo"]],
    ["foo|barbaz", ["foo", "barbaz"]],
    ["(foo)?barx", ["barx"]],
    ["a", undefined],
    ["foo|.", undefined],
    ["\\x41bcd", undefined],
    ["[abc]def{2}", ["de"]],
    ["\\bresource\\b", ["resource"]],
  ];
  for (const [pattern, literals] of cases)
    expect([pattern, requiredLiterals(pattern)]).toEqual([pattern, literals]);
});

test("withoutLineEnds keeps every class from matching a line end", () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["^n[aeiou]+d$", "^n[aeiou]+d$"],
    ['a\\s*=[^"]', 'a[^\\S\\n]*=[^\\n"]'],
    ["[^]\\D\\W", "[^\\n][^\\d\\n][^\\w\\n]"],
    ["[\\s\\S]+", "(?:(?!\\n)[\\s\\S])+"],
    ["(?:a)(?<n>b)\\.\\[", "(?:a)(?<n>b)\\.\\["],
    ["[\\t-z]", "(?:(?!\\n)[\\t-z])"],
    ["a\\n", undefined],
    ["a\\x0a", undefined],
    ["(a)\\1", undefined],
    ["a(?!b)", undefined],
    ["(?<=a)b", undefined],
    ["(?s:.)", undefined],
    ["(a|b)?", "(a|b)?"],
    ["(a+)+$", undefined],
    ["[^-a]", undefined],
  ];
  for (const [pattern, expected] of cases)
    expect([pattern, withoutLineEnds(pattern, false)]).toEqual([pattern, expected]);
});

test("a long text is asked in parts, and a late no is not believed", () => {
  const lines = `${"x".repeat(99)}\n`.repeat(3_000);
  expect(createTextProbe(/^n[aeiou]d$/)?.(lines)).toBe(false);
  expect(createTextProbe(/^n[aeiou]d$/)?.(`${lines}nod`)).toBe(true);
  expect(createTextProbe(/^n[aeiou]d$/, -1)?.(lines)).toBe(true);
});

const ATOMS = [
  String.raw`a b ab é . \. \d \D \w \W \s \S \b \B ^ $ \t \r \n \x0a \1`,
  String.raw`(ab) (a|b) (?:b|1) (?<n>a) (?!x) (?=b) (?<!a)`,
  String.raw`[ab] [^a] [^] [\s\S] [\W1] [^\S] [^-a] [\t-a] [^\w]`,
].flatMap((row) => row.split(" "));
const QUANTIFIERS = ["", "", "", "*", "+", "?", "{0,2}", "+?"];
const patternArbitrary = fc
  .array(
    fc.tuple(
      fc.constantFrom(...ATOMS),
      fc.constantFrom(...QUANTIFIERS),
      fc.constantFrom("", "", "", "|"),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.map((part) => part.join("")).join(""));
const textArbitrary = fc.string({
  unit: fc.constantFrom(
    "a",
    "b",
    "A",
    ".",
    "1",
    "é",
    " ",
    "\t",
    "\n",
    "\n",
    "\r",
    "\r\n",
    "\u2028",
  ),
  maxLength: 24,
});

test("whatever makes a search fast never hides a match", () => {
  fc.assert(
    fc.property(patternArbitrary, textArbitrary, fc.boolean(), (pattern, text, ignoresCase) => {
      let regex: RegExp;
      try {
        regex = toRegExp(pattern, ignoresCase);
      } catch {
        // Not every row of atoms is an expression.
        return;
      }
      const lines = text.split("\n");
      if (lines.at(-1) === "") lines.pop();
      const expected = lines.filter((line) => regex.test(line.replace(/\r$/, ""))).length;
      const matcher = createMatcher({ pattern, ignoresCase, context: 0, wantsLines: true });
      const bytes = Buffer.from(text);
      const isCandidate = matcher.look(bytes) === "candidate";
      expect(isCandidate ? matcher.search(bytes, 100).count : 0).toBe(expected);
    }),
    { numRuns: 10_000 },
  );
});
