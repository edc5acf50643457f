// Arguments in a command's text.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseCommand } from "../../src/commands/parse.ts";
import { fillTemplate, splitWords } from "../../src/commands/template.ts";

test("fillTemplate puts all arguments, and each by its place, once", () => {
  expect(fillTemplate("Deploy $1 to $2, that is: $ARGUMENTS.", 'api "eu west"')).toBe(
    'Deploy api to eu west, that is: api "eu west".',
  );
  expect(fillTemplate("$1 and $2", "$2 x")).toBe("$2 and x");
  expect(fillTemplate("costs $10 and $1x and $ARGUMENTSX", "a")).toBe(
    "costs $10 and $1x and $ARGUMENTSX\n\nArguments: a",
  );
  expect(fillTemplate("[$3]", "a b")).toBe("[]");
});

test("fillTemplate loses nothing of what was typed", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (template, args) => {
      const filled = fillTemplate(`${template} $ARGUMENTS`, args);
      expect(filled.endsWith(args)).toBe(true);
    }),
  );
});

test("splitWords keeps blanks inside quotes", () => {
  expect(splitWords(`a 'b c' "d e" ""  f`)).toEqual(["a", "b c", "d e", "", "f"]);
});

test("parseCommand leaves paths alone", () => {
  for (const text of ["/etc/hosts is what?", "/etc/hosts", "//x", "/ x", "/X", "a /help"])
    expect(parseCommand(text)).toBeUndefined();
  expect(parseCommand("/mcp__x__y a  b\nc ")).toEqual({ name: "mcp__x__y", args: "a  b\nc" });
});
