import { expect, test } from "bun:test";
import fc from "fast-check";
import { createMasker } from "../../src/secrets/mask.ts";
import { MAX_HELD_LENGTH } from "../../src/secrets/stream.ts";

const KNOWN = [
  { value: "Comet_8hT4zQ", label: "db" },
  { value: "falcon+Zx81/uu=", label: "api" },
];
const masker = () => {
  const one = createMasker({ level: "balanced" });
  one.addKnown(KNOWN);
  return one;
};

function streamed(text: string, cuts: readonly number[]): string {
  const stream = masker().stream();
  const places = [
    0,
    ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b),
    text.length,
  ];
  const out = places.slice(1).map((end, at) => stream.push(text.slice(places[at], end)));
  return out.join("") + stream.flush();
}

const LINES = [
  "plan: 3 to add\n",
  "password: Tundra-4f9Qx2!\n",
  "x Comet_8hT4zQ y\n",
  "falcon+Zx81/uu= falcon%2BZx81%2Fuu%3D\n",
  "  - name: DB_PASSWORD\n    value: granite7Q\n",
  "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nAbCdEf0123456789\n-----END PRIVATE KEY-----\n",
  "key = <<EOF\nprivate_key\nEOF\n",
  "no newline at the end Comet_8hT4zQ",
  "\r\n",
  "",
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...LINES), fc.string({ maxLength: 20 })), { maxLength: 12 })
  .map((all) => all.join(""));

test("any split of chunks gives the same as one chunk", () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), (whole, cuts) => {
      expect(streamed(whole, cuts)).toBe(streamed(whole, []));
    }),
    { numRuns: 400 },
  );
});

test("chunks of text whose secrets are known, keyed on their line or in a block give the same as masking the whole", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...LINES.slice(0, 6)), { maxLength: 8 }),
      fc.array(fc.nat(), { maxLength: 12 }),
      (lines, cuts) => {
        // Each line once: a value found on a later line is only then known.
        const whole = [...new Set(lines)].join("");
        expect(streamed(whole, cuts)).toBe(masker().mask(whole));
      },
    ),
    { numRuns: 300 },
  );
});

test("a secret cut at any place does not show", () => {
  const whole = "start Comet_8hT4zQ end\ntoken=abcd1234efgh5678 x\n";
  for (let cut = 1; cut < whole.length; cut += 1)
    for (const value of ["Comet_8hT4zQ", "abcd1234efgh5678"])
      expect(streamed(whole, [cut])).not.toContain(value);
});

test("whole lines are released at once, an unfinished line at the flush", () => {
  const stream = masker().stream();
  expect(stream.push("one\ntwo")).toBe("one\n");
  expect(stream.push(" more\n")).toBe("two more\n");
  expect(stream.push("Enter a value: ")).toBe("");
  expect(stream.flush()).toBe("Enter a value: ");
});

test("an endless line is released in bounded pieces that cut no secret in two", () => {
  const stream = masker().stream();
  const filler = "a b ".repeat((MAX_HELD_LENGTH - 4) / 4);
  const shown = stream.push(`${filler}Comet_8hT4zQ and then ${filler}`);
  expect(shown.length).toBeGreaterThan(0);
  expect(shown + stream.flush()).not.toContain("Comet");
  expect(createMasker({ level: "off" }).stream().push("Comet_8hT4zQ")).toBe("Comet_8hT4zQ");
});

test("a block that never ends is released line by line at the bound", () => {
  const stream = masker().stream();
  const line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n";
  const shown = stream.push(
    `-----BEGIN PRIVATE KEY-----\n${line.repeat(MAX_HELD_LENGTH / line.length + 10)}`,
  );
  expect(shown.length).toBeGreaterThan(0);
});
