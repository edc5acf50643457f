// The one promise of an edit: what is not replaced stays byte by byte.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { editText } from "../../src/tools/edit-text.ts";
import { decodeText, encodeText, type TextEncoding } from "../../src/tools/file-text.ts";

const RUNS = Number(process.env["EDIT_PROPERTY_RUNS"] ?? 10_000);
const edited = (text: string, from: string, to: string, all = false) => {
  const edit = editText(text, from, to, all);
  return edit.type === "edited" ? edit.text : edit;
};

test("editText matches LF text in a CRLF file and writes CRLF", () => {
  expect(edited("a\r\nb\r\nc", "a\nb", "a\nx\nb")).toBe("a\r\nx\r\nb\r\nc");
});

test("editText keeps each line end of a mixed file, in a single edit and in replace_all", () => {
  expect(edited("a\r\nb\nc\rd\n", "a\nb\nc\nd", "a\nB\nc\nd")).toBe("a\r\nB\nc\rd\n");
  expect(edited("k=1\r\nz\r\nk=1\nz\n", "k=1\nz", "k=2\nz", true)).toBe("k=2\r\nz\r\nk=2\nz\n");
});

test("editText takes the line end of the replaced text, else of the file", () => {
  expect(edited("a\nb\r\nc\r\nd\n", "b\nc", "x\ny\nz")).toBe("a\nx\r\ny\r\nz\r\nd\n");
  expect(edited("one\r\ntwo\r\n", "two", "2\n3")).toBe("one\r\n2\r\n3\r\n");
  expect(edited("one", "one", "1\n2")).toBe("1\n2");
});

test("editText neither adds nor removes a final newline by itself", () => {
  expect(edited("a\nb", "b", "c")).toBe("a\nc");
  expect(edited("a\nb\n", "b\n", "b")).toBe("a\nb");
  expect(edited("a\nb", "b", "b\n")).toBe("a\nb\n");
});

test("editText treats replacement patterns and regex characters literally", () => {
  expect(edited("x ${a} $& y", "${a} $&", "$1 $$ \\")).toBe("x $1 $$ \\ y");
});

test("editText counts matches and names their lines", () => {
  expect(editText("x\ny\nx\n", "x", "z", false)).toEqual({ type: "many", count: 2, lines: [1, 3] });
});

test("editText shows near misses, and says when only blanks differ", () => {
  expect(editText('resource "a" "b" {\n\tname = "x"\n}\n', '  name = "x"', "", false)).toEqual({
    type: "none",
    nearMisses: [{ line: 2, text: '\tname = "x"' }],
    hint: "It would match at line 2 if indentation and other blanks did not count: copy them exactly (tabs are not spaces).",
  });
});

const line = fc.string({
  unit: fc.constantFrom("a", "b", " ", "é", "😀", "{", "$", "\t"),
  maxLength: 6,
});
const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
const fileText = fc
  .tuple(fc.array(fc.tuple(line, lineEnd), { maxLength: 8 }), line)
  .map(([lines, last]) => lines.map(([text, end]) => text + end).join("") + last);
const encoding = fc.constantFrom<TextEncoding>("utf-8", "utf-8-bom", "utf-16le", "utf-16be");

test("every byte outside the match stays, in every encoding and with every mix of line ends", () => {
  fc.assert(
    fc.property(fileText, fileText, fileText, line, encoding, (before, body, after, word, kind) => {
      const marked = `\u{1}${body}\u{2}`;
      const text = before + marked + after;
      const bytes = encodeText({ encoding: kind, text });
      const decoded = decodeText(bytes);
      if (!decoded.ok) throw new Error(decoded.reason);
      expect(decoded.text).toBe(text);
      const edit = editText(decoded.text, marked.replaceAll(/\r\n?/g, "\n"), `<${word}>`, false);
      if (edit.type !== "edited") throw new Error(`Not edited: ${edit.type}`);
      const expected = encodeText({ encoding: kind, text: `${before}<${word}>${after}` });
      expect(Buffer.compare(encodeText({ encoding: kind, text: edit.text }), expected)).toBe(0);
    }),
    { numRuns: RUNS },
  );
});

test("unchanged lines inside the match keep their own line ends", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(line, lineEnd), { minLength: 3, maxLength: 8 }),
      fc.nat(),
      (lines, at) => {
        const target = at % lines.length;
        // `\r` before an empty line that ends in `\n` would read as one CRLF.
        const numbered = lines.map(([text, end], index) => [`${index}:${text}`, end] as const);
        const source = numbered.map(([text, end]) => text + end).join("");
        const old = numbered.map(([text]) => `${text}\n`).join("");
        const wanted = numbered.map(([text], i) => `${i === target ? "NEW" : text}\n`).join("");
        const expected = numbered
          .map(([text, end], i) => (i === target ? "NEW" : text) + end)
          .join("");
        expect(edited(source, old, wanted)).toBe(expected);
      },
    ),
    { numRuns: RUNS },
  );
});

test("decodeText refuses what it could not write back", () => {
  const reasons = [
    Uint8Array.of(0xb9, 0xe3, 0xd6, 0xdd),
    Uint8Array.of(0x61, 0xff, 0x62),
    Uint8Array.of(0xff, 0xfe, 0x61),
    Uint8Array.of(0x61, 0, 0x62),
  ].map((bytes) => decodeText(bytes).ok);
  expect(reasons).toEqual([false, false, false, false]);
});
