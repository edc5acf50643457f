// Diffs and widths as people see them.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { editScript, toHunks } from "../../src/cli/hunks.ts";
import { diffLines } from "../../src/cli/line-diff.ts";
import { createPaint } from "../../src/cli/paint.ts";
import { contentLines } from "../../src/cli/tool-card.ts";
import { columnsOf, cutEnd, cutStart, wrap } from "../../src/cli/width.ts";

const plain = createPaint({ isTTY: false });
const lines = fc.array(fc.constantFrom<string>("a", "b", "c", "d"), { maxLength: 30 });

test("editScript takes away exactly the old lines and leaves exactly the new ones", () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const script = editScript(before, after);
      const of = (mark: string) =>
        script.filter((line) => line.mark !== mark).map(({ text }) => text);
      expect([of("+"), of("-")]).toEqual([before, after]);
    }),
  );
});

test("editScript is the shortest one: as many changes as a longest common subsequence leaves", () => {
  const common = (one: readonly string[], two: readonly string[]): number => {
    const row = Array.from({ length: two.length + 1 }, () => 0);
    for (const left of one) {
      let corner = 0;
      two.forEach((right, index) => {
        const above = row[index + 1] ?? 0;
        row[index + 1] = left === right ? corner + 1 : Math.max(above, row[index] ?? 0);
        corner = above;
      });
    }
    return row.at(-1) ?? 0;
  };
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const changed = editScript(before, after).filter(({ mark }) => mark !== " ").length;
      expect(changed).toBe(before.length + after.length - 2 * common(before, after));
    }),
  );
});

test("toHunks keeps every change, in order, and names the line of the new text", () => {
  fc.assert(
    fc.property(lines, lines, fc.nat(4), (before, after, context) => {
      const script = editScript(before, after);
      const hunks = toHunks(script, context);
      const changes = (list: typeof script) => list.filter(({ mark }) => mark !== " ");
      expect(changes(hunks.flatMap((hunk) => [...hunk.lines]))).toEqual(changes(script));
      for (const hunk of hunks) {
        const first = hunk.lines.find(({ mark }) => mark !== " ");
        if (first?.mark === "+") expect(after[hunk.line - 1]).toBe(first.text);
      }
    }),
  );
});

test("a text of which thousands of lines changed is compared in bounded time, as removed and added", () => {
  const of = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`);
  const script = editScript(of("old"), of("new"));
  expect(script.findIndex(({ mark }) => mark === "+")).toBe(20_000);
  expect(script).toHaveLength(40_000);
});

test("diffLines shows each changed region under its own line number", () => {
  const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`);
  const after = before.with(1, "two\n").with(17, "eighteen\n");
  const shown = diffLines(
    { path: "/project/main.tf", oldText: before.join(""), newText: after.join("") },
    "/project",
    plain,
  );
  expect(shown.join("\n")).toMatchInlineSnapshot(`
    "  main.tf:2
        line 1
      - line 2
      + two
        line 3
        line 4
        line 5
      main.tf:18
        line 15
        line 16
        line 17
      - line 18
      + eighteen
        line 19
        line 20"
  `);
});

test("diffLines shows changed line ends, a lost last line end, and control characters", () => {
  const diff = (oldText: string, newText: string) =>
    diffLines({ path: "/p/x", oldText, newText }, "/p", plain).slice(1);
  expect(diff("a\n", "a\r\n")).toEqual(["  - a", "  + a\\u{d}"]);
  expect(diff("a\n", "a")).toEqual(["  - a", "  + a (no line end)"]);
  expect(diff("", "\u001b[2J\n")).toEqual(["  + \\u{1b}[2J"]);
});

test("diffLines says when a file is new, and gives paths outside the project in full", () => {
  expect(diffLines({ path: "/p/x", oldText: null, newText: "a\n" }, "/p", plain)).toEqual([
    "  x (new file)",
    "  + a",
  ]);
  const outside = diffLines({ path: "/etc/x", oldText: "a\n", newText: "b\n" }, "/p", plain);
  expect(outside[0]).toBe("  /etc/x:1");
});

test("contentLines counts what it leaves out", () => {
  const text = Array.from({ length: 50 }, (_, index) => `${index}`).join("\n");
  const content = [
    { type: "content", content: { type: "text", text: `\`\`\`\n${text}\n\`\`\`` } },
  ] as const;
  const options = { cwd: "/p", paint: plain, most: 2 };
  expect(contentLines(content, { ...options, keep: "head" })).toEqual([
    "    0",
    "    1",
    "    … 48 more lines not shown",
  ]);
  expect(contentLines(content, { ...options, keep: "tail" }).slice(1)).toEqual([
    "    48",
    "    49",
  ]);
});

test("columnsOf goes by COLUMNS, then the terminal, then 80", () => {
  expect(columnsOf({ columns: 120 }, { COLUMNS: "60" })).toBe(60);
  expect(columnsOf({ columns: 120 }, { COLUMNS: "wide" })).toBe(120);
  expect(columnsOf({ columns: 0 }, {})).toBe(80);
  expect(columnsOf({}, { COLUMNS: "1" })).toBe(20);
});

test("cutEnd and cutStart never exceed the columns, wide characters included", () => {
  expect([cutEnd("main.tf", 5), cutStart("/a/b/main.tf", 8)]).toEqual(["main…", "…main.tf"]);
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.integer({ min: 2, max: 20 }),
      (text, columns) => {
        expect(Bun.stringWidth(cutEnd(text, columns))).toBeLessThanOrEqual(columns);
        expect(Bun.stringWidth(cutStart(text, columns))).toBeLessThanOrEqual(columns);
      },
    ),
  );
});

test("wrap breaks at blanks, keeps line breaks and never loses a word", () => {
  expect(wrap("one two three\nfour", 8)).toEqual(["one two", "three", "four"]);
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 });
  fc.assert(
    fc.property(words, fc.integer({ min: 12, max: 40 }), (list, columns) => {
      const wrapped = wrap(list.join(" "), columns);
      expect(wrapped.join(" ").split(" ")).toEqual(list);
      for (const line of wrapped) expect(line.length).toBeLessThanOrEqual(columns);
    }),
  );
});
