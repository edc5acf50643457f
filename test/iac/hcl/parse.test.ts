import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseHclJson } from "../../../src/iac/hcl/json.ts";
import { parseHcl } from "../../../src/iac/hcl/parse.ts";
import type { Body, Expression, Span } from "../../../src/iac/hcl/tree.ts";
import forms from "../../fixtures/hcl/forms.json";

const PIECES = `{ } ( [ ] " \${ %{ ~} <<A . * = \\ ' # /* => ? : a \n A\n \u{1f600} \ud800`
  .split(" ")
  .concat("\n", "<<A\n", "A\n", "for ", "in ", "if ", " ");

const SAMPLE = `resource "aws_instance" "web" {
  ami  = var.ami # chosen per region
  tags = { Name = "web-\${var.env}", (var.key) = local.value }

  dynamic "ebs_block_device" {
    for_each = [for disk in var.disks : disk.name if disk.size > var.minimum]
    content {
      device_name = ebs_block_device.value
    }
  }
}
`;

const referencesOf = (text: string): string[] =>
  parseHcl(text).body.attributes.flatMap(({ value }) =>
    value.references.map(({ steps }) => steps.join(" ")),
  );

function spansOf(body: Body): Span[] {
  const ofExpression = (value: Expression): Span[] => [
    value.span,
    ...value.references.map(({ span }) => span),
    ...(value.items ?? []).flatMap(ofExpression),
    ...(value.entries ?? []).flatMap((entry) => [entry.keySpan, ...ofExpression(entry.value)]),
  ];
  return [
    ...body.attributes.flatMap((attribute) => [
      attribute.span,
      attribute.nameSpan,
      ...ofExpression(attribute.value),
    ]),
    ...body.blocks.flatMap((block) => [
      block.span,
      block.nameSpan,
      ...block.labelSpans,
      ...spansOf(block.body),
    ]),
  ];
}

test("parseHcl gives spans that cut each part out of the text", () => {
  const [block] = parseHcl(SAMPLE).body.blocks;
  const cut = (span: Span | undefined) => SAMPLE.slice(span?.start, span?.end);
  expect(cut(block?.span)).toBe(SAMPLE.trimEnd());
  expect(block?.labelSpans.map(cut)).toEqual(['"aws_instance"', '"web"']);
  const [ami, tags] = block?.body.attributes ?? [];
  expect([cut(ami?.span), cut(ami?.nameSpan), ami?.span.line, ami?.span.column]).toEqual([
    "ami  = var.ami",
    "ami",
    2,
    3,
  ]);
  expect(tags?.value.references.map((reference) => cut(reference.span))).toEqual([
    "var.env",
    "var.key",
    "local.value",
  ]);
  expect(tags?.value.entries?.map((entry) => entry.key)).toEqual(["Name", undefined]);
});

test("references hold every step, indexes in brackets, and no for variable", () => {
  expect(referencesOf('a = module.net["a"].subnets[*].id\n')).toEqual([
    "module net [a] subnets [*] id",
  ]);
  expect(referencesOf("a = x.0.b.*.c\n")).toEqual(["x [0] b [*] c"]);
  expect(referencesOf("a = x[each.key].b\n")).toEqual(["each key", "x [] b"]);
  expect(referencesOf("a = { for k, v in var.m : k => v.id if v.on && w }\n")).toEqual([
    "var m",
    "w",
  ]);
  expect(referencesOf('a = "%{ for s in var.l }${s}${t}%{ endfor }${s}"\n')).toEqual([
    "var l",
    "t",
    "s",
  ]);
  expect(referencesOf("a = { key = value, (other) = 1 }\n")).toEqual(["value", "other"]);
});

test("literals keep their values: escapes, heredocs with and without indent, numbers", () => {
  const values = parseHcl(
    'a = "x\\n\\u00e9$${y}"\nb = <<-EOT\n    one\n      two\n    EOT\nc = -1.5\nd = true\ne = null\nf = "x${y}"\n',
  ).body.attributes.map(({ value }) => [value.kind, value.value]);
  expect(values).toEqual([
    ["string", "x\né${y}"],
    ["string", "one\n  two\n"],
    ["number", -1.5],
    ["bool", true],
    ["null", null],
    ["template", undefined],
  ]);
});

test("a half-written line costs itself, not what stands around it", () => {
  const { body, faults } = parseHcl(
    'resource "a" "b" {\n  x = var.\n  y = [1,\n  z = 3\n  w = 4\n}\n\noutput "o" {\n  value = 1\n}\n',
  );
  expect(faults.map(({ span }) => span.line)).toEqual([2, 4]);
  expect(body.blocks.map((block) => [block.name, ...block.labels])).toEqual([
    ["resource", "a", "b"],
    ["output", "o"],
  ]);
  expect(body.blocks[0]?.body.attributes.map(({ name }) => name)).toEqual(["x", "y", "w"]);
});

test("a string that its line cuts off keeps the text that stands there", () => {
  const { body, faults } = parseHcl('a = "x\nb = "$y and 5%"\nc = "$${z}" \n');
  expect(faults.map(({ span }) => [span.line, span.column])).toEqual([[1, 7]]);
  expect(body.attributes.map(({ name, value }) => [name, value.value])).toEqual([
    ["a", "x"],
    ["b", "$y and 5%"],
    ["c", "${z}"],
  ]);
});

test("text of nothing but short tokens is scanned as well as any other", () => {
  const { body, faults } = parseHcl(`a = [${"1,".repeat(5_000)}]\n`);
  expect(faults).toEqual([]);
  expect(body.attributes[0]?.value.items?.length).toBe(5_000);
});

test("a missing brace ends its block where the next top-level block starts", () => {
  const { body, faults } = parseHcl(
    'resource "a" "b" {\n  name = "${var.x\n\nresource "c" "d" {\n  y = 2\n}\nvariable "e" {}\n',
  );
  expect(faults.length).toBeGreaterThan(0);
  expect(body.blocks.map((block) => block.labels.at(-1))).toContain("e");
});

test("comments keep their text, place and whether they stand alone", () => {
  const { comments } = parseHcl("# one\na = 1 // two\n/* three */ b = 2\r\n#four\r\n");
  expect(comments.map(({ text, span, ownLine }) => [text, span.line, ownLine])).toEqual([
    [" one", 1, true],
    [" two", 2, false],
    [" three ", 3, true],
    ["four", 4, true],
  ]);
});

test("parseHcl survives any text and its spans stay inside it", () => {
  const pieces = fc.constantFrom(...PIECES);
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.array(pieces, { maxLength: 80 }).map((parts) => parts.join("")),
    fc
      .tuple(
        fc.constantFrom(SAMPLE, ...forms.map((form) => form.text)),
        fc.nat(),
        fc.nat(6),
        pieces,
      )
      .map(([text, at, length, piece]) => {
        const start = at % (text.length + 1);
        return text.slice(0, start) + piece + text.slice(start + length);
      }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const { body, faults, comments } = parseHcl(text);
      for (const span of [
        ...spansOf(body),
        ...faults.map((fault) => fault.span),
        ...comments.map((comment) => comment.span),
      ]) {
        expect(span.start).toBeGreaterThanOrEqual(0);
        expect(span.end).toBeGreaterThanOrEqual(span.start);
        expect(span.end).toBeLessThanOrEqual(text.length);
        expect(text.slice(0, span.start).split("\n").length).toBe(span.line);
      }
    }),
    { numRuns: 2000 },
  );
});

test("nesting without end is a fault, not a crash", () => {
  for (const open of ["(", "[", "{a=", "-", 'f("${', "a {\n", "x ? y : "]) {
    const { faults } = parseHcl(`a = ${open.repeat(20_000)}\n`);
    expect(faults.length).toBeGreaterThan(0);
  }
  expect(parseHcl("a {\n".repeat(20_000)).faults.length).toBeGreaterThan(0);
});

test("a text of the worst repeated pieces takes no more than linear time", () => {
  const worst =
    `/* | a.b, | [a, | a+ | "\${ | <<a | %{for a in b} | a[a] | 1. | /**/ | } | " | ' | \\ | $\${ | (( | a?`
      .split(" | ")
      .concat("\n", "a {\n", "#\n", "<<A\n");
  for (const piece of worst) {
    for (const lead of ["", "a = [\n", 'a = "']) {
      const start = performance.now();
      parseHcl(lead + piece.repeat(100_000 / piece.length));
      // Some 50 ms alone; squared it would be minutes.
      expect([piece, performance.now() - start < 4_000]).toEqual([piece, true]);
    }
  }
});

test("parseHclJson survives a text nested without measure", () => {
  const depth = 5_000;
  const { faults } = parseHclJson(`{"locals": {"a": ${"[".repeat(depth)}${"]".repeat(depth)}}}`);
  expect(faults.length).toBeLessThanOrEqual(1);
});
