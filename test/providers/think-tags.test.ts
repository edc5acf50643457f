// Thought and text are told apart by tags at the start of the content only.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { createThinkSplitter } from "../../src/providers/think-tags.ts";

function split(pieces: readonly string[], hasThought = false): { thought: string; text: string } {
  const splitter = createThinkSplitter(() => hasThought);
  const all = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
  const join = (type: string) =>
    all.map((piece) => (piece.type === type ? piece.text : "")).join("");
  return { thought: join("thought"), text: join("text") };
}

test.each([
  ["a thought, then text", "<think>a\nb</think>\n\nText", { thought: "a\nb", text: "Text" }],
  ["blanks before the tag", "\n <think>a</think>Text", { thought: "a", text: "Text" }],
  ["no tag", "Text < more", { thought: "", text: "Text < more" }],
  ["a tag later", "See <think>a</think>", { thought: "", text: "See <think>a</think>" }],
  ["a tag in code", "`<think>`", { thought: "", text: "`<think>`" }],
  [
    "a second tag",
    "<think>a</think>b<think>c</think>",
    { thought: "a", text: "b<think>c</think>" },
  ],
  ["an open thought", "<think>a</thi", { thought: "a</thi", text: "" }],
  ["a tag that is none", "<thinking hard>", { thought: "", text: "<thinking hard>" }],
  ["blanks only", "  ", { thought: "", text: "  " }],
  ["a bare closing tag", "</think>Text", { thought: "", text: "</think>Text" }],
])("the splitter reads %s, in one piece and letter by letter", (_name, content, expected) => {
  expect(split([content])).toEqual(expected);
  expect(split(Array.from(content))).toEqual(expected);
});

test("a bare closing tag at the start ends a thought that began in a reasoning field", () => {
  expect(split(Array.from("</think>\n\nText"), true)).toEqual({ thought: "", text: "Text" });
  expect(split(Array.from("Text</think>"), true)).toEqual({ thought: "", text: "Text</think>" });
});

test("any chunking gives the same thought and text", () => {
  const piece = fc.constantFrom("<think>", "</think>", "<", "think", ">", " ", "\n", "a", "</");
  fc.assert(
    fc.property(fc.array(piece), fc.boolean(), (pieces, hasThought) => {
      expect(split(pieces, hasThought)).toEqual(split([pieces.join("")], hasThought));
    }),
    { numRuns: 1000 },
  );
});
