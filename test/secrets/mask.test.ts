import { expect, test } from "bun:test";
import fc from "fast-check";
import { createMasker } from "../../src/secrets/mask.ts";
import { isKnowable } from "../../src/secrets/values.ts";

const balanced = () => createMasker({ level: "balanced" });

test("a placeholder is typed, stable for the session and tells nothing of the length", () => {
  const masker = balanced();
  const first = masker.mask('password = "Tundra-4f9Qx2!"\n');
  expect(first).toBe('password = "«secret:password#1»"\n');
  expect(masker.mask("again: Tundra-4f9Qx2! and")).toBe("again: «secret:password#1» and");
  expect(masker.mask('password = "x7"\npassword = "another one that is much longer 1"')).toBe(
    'password = "x7"\npassword = "«secret:password#2»"',
  );
});

test("an edit of a line that holds a placeholder round-trips byte for byte", () => {
  const masker = balanced();
  const text = 'db_password = "Ember_a\\"b1?x"\r\nsize = 3';
  const shown = masker.mask(text, { path: "x.tfvars" });
  expect(shown).not.toContain("Ember");
  expect(masker.unmask(shown.replace("size = 3", "size = 4"))).toBe(
    text.replace("size = 3", "size = 4"),
  );
});

test("references, stand-ins, switches and hashes stay", () => {
  const text = [
    "password = var.db_password",
    'password = "${data.x.y.z}"',
    "password: !Ref Secret",
    'password = ""',
    "token = null",
    "enable_secret_rotation = true",
    'password = "changeme"',
    '  "h1:3Kp0bYbqRkz7vHqbXk1nGZcX6m9fJYc1Qe1yWbS2x0s=",',
    '  "zh:0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9",',
    "password: «secret:other#9»",
  ].join("\n");
  expect(balanced().mask(text)).toBe(text);
  expect(createMasker({ level: "strict" }).mask('password = "changeme"')).toContain("«secret:");
  expect(createMasker({ level: "off" }).mask("password: Tundra-4f9Qx2!")).toContain("Tundra");
});

test("a known value is found plain, URL-encoded, escaped, quoted and inside Base64 at every alignment", () => {
  const value = `Gr"an & i'te $9/x+`;
  const masker = balanced();
  masker.addKnown([{ value, label: "db.password" }]);
  const forms = [
    value,
    encodeURIComponent(value),
    JSON.stringify(value),
    JSON.stringify(JSON.stringify(value)),
    value.replaceAll("'", String.raw`'\''`),
    Buffer.from(value).toString("base64"),
    Buffer.from(`u:${value}`).toString("base64"),
    Buffer.from(`us:${value}`).toString("base64url"),
    Buffer.from(`usr:${value}!`).toString("base64"),
  ];
  for (const form of forms) {
    const masked = masker.mask(`see ${form} here`);
    expect(masked).toContain("«secret:db.password");
    expect(masker.unmask(masked)).toBe(`see ${form} here`);
    expect(Buffer.from(masked.replaceAll(/«[^»]*»/g, ""), "base64").toString()).not.toContain(
      "ite",
    );
  }
});

test("a known value is found as Go, Python, forms, YAML and shells write it", () => {
  const masker = createMasker({ level: "balanced" });
  const value = "p&ss!w/rd <it's>(1)ä9";
  masker.addKnown([{ value, label: "db.password" }]);
  const strict = "p%26ss%21w%2Frd%20%3Cit%27s%3E%281%29%C3%A49";
  const forms = [
    strict,
    strict.replaceAll("%20", "+"),
    strict.replaceAll("%2F", "/"),
    strict.toLowerCase(),
    "p\\u0026ss!w/rd \\u003cit's\\u003e(1)ä9",
    "p&ss!w/rd <it's>(1)\\u00e49",
    "p&ss!w/rd <it''s>(1)ä9",
    "p&amp;ss!w/rd &lt;it&#39;s&gt;(1)ä9",
    "p\\&ss\\!w/rd\\ \\<it\\'s\\>\\(1\\)\\ä9",
    Buffer.from(value).toString("hex"),
  ];
  for (const form of forms)
    expect(masker.mask(`before ${form} after`)).toMatch(/^before «secret:[^»]*» after$/);
});

test("short, common and public values are not looked for", () => {
  const masker = balanced();
  masker.addKnown(
    [
      "abc1234",
      "production",
      "eu-west-1",
      "localhost",
      "https://example.com/x",
      "aaaaaaaaaa",
      "127.0.0.1:80",
    ].map((value) => ({ value, label: "x" })),
  );
  const text =
    "abc1234 production eu-west-1 localhost https://example.com/x aaaaaaaaaa 127.0.0.1:80";
  expect(masker.mask(text)).toBe(text);
});

test("a text that was masked before is masked anew once more is known", () => {
  const masker = balanced();
  const [told, plain] = ["the word is Tundra-4f9Qx2!", "and Basalt-8k2Wm7? too"];
  expect([masker.mask(told), masker.mask(plain)]).toEqual([told, plain]);
  // Learned from another text, and from a file.
  masker.mask('password = "Tundra-4f9Qx2!"');
  expect(masker.mask(told)).toBe("the word is «secret:password#1»");
  masker.addKnown([{ value: "Basalt-8k2Wm7?", label: "file" }]);
  expect(masker.mask(plain)).toBe("and «secret:file#1» too");
  expect(masker.mask(told)).toBe("the word is «secret:password#1»");
});

test("keys of several lines are found line by line, also indented", () => {
  const lines = ["MIIEowIBAAKCAQEAx1", "Zq8Kc0u3VbN2yLrT5w"];
  const masker = balanced();
  masker.addKnown([{ value: `-----BEGIN RSA KEY-----\n${lines.join("\n")}\n`, label: "tls" }]);
  const masked = masker.mask(lines.map((line) => `    | ${line}`).join("\n"));
  for (const line of lines) expect(masked).not.toContain(line);
});

test("maskJson masks by key, by pair, by structure and by known value, and keeps keys and types", () => {
  const masker = balanced();
  masker.addKnown([{ value: "Otter.k7Qp2z#", label: "known" }]);
  const masked = masker.maskJson({
    password: "w1llow",
    list: [{ name: "API_SECRET", value: "abc-def-1" }],
    output: { sensitive: true, value: "plain words" },
    note: "it is Otter.k7Qp2z# there",
    token_ttl: 3600,
    on: true,
    none: null,
  });
  expect(masked).toEqual({
    password: "«secret:password#1»",
    list: [{ name: "API_SECRET", value: "«secret:API_SECRET#1»" }],
    output: { sensitive: true, value: "«secret:output.output#1»" },
    note: "it is «secret:known#1» there",
    token_ttl: 3600,
    on: true,
    none: null,
  });
});

test("numbers of stored placeholders are not given out again, and unknown ones are named", () => {
  const masker = balanced();
  masker.reserve("history with «secret:password#4» in it");
  expect(masker.mask("password: Tundra-4f9Qx2!")).toBe("password: «secret:password#5»");
  expect(masker.unmask("«secret:password#4»")).toBe("«secret:password#4»");
  expect(masker.unresolved("a «secret:password#4» b «secret:password#5»")).toEqual([
    "«secret:password#4»",
  ]);
});

test("a command that prints one secret is masked whole", () => {
  const masked = balanced().mask("correct horse battery\n", {
    command: "terraform output -raw phrase",
  });
  expect(masked).toBe("«secret:printed#1»\n");
});

const fragment = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom(
    "\n",
    " = ",
    ": ",
    '"',
    "'",
    "password",
    "token",
    "-----BEGIN PRIVATE KEY-----\n",
    "{",
    "}",
    "«",
    "»",
    "kind: Secret\ndata:\n  a: ",
    "<<EOF\n",
    "eyJ",
    "://u:",
    "@",
    "\\",
  ),
  fc.stringMatching(/^[A-Za-z0-9+/_.-]{8,40}$/),
);
const anyText = fc.array(fragment, { maxLength: 25 }).map((parts) => parts.join(""));

test("unmask puts back exactly what mask took out", () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom("strict" as const, "balanced" as const), (text, level) => {
      fc.pre(!text.includes("«secret:"));
      const masker = createMasker({ level });
      const masked = masker.mask(text);
      expect(masker.unmask(masked)).toBe(text);
      // Masking what is masked already changes nothing that unmask would not put back.
      expect(masker.unmask(masker.unmask(masker.mask(masked)))).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test("no known value survives, wherever it stands", () => {
  const secret = fc
    .string({ minLength: 8, maxLength: 40 })
    .filter((value) => isKnowable(value) && !value.includes("«"));
  fc.assert(
    fc.property(anyText, secret, anyText, secret, (before, value, after, other) => {
      const masker = balanced();
      masker.addKnown([
        { value, label: "a" },
        { value: other, label: "b" },
      ]);
      const masked = masker.mask(before + value + after + other + value);
      // What is left of the text after the placeholders are taken out cannot hold the value.
      for (const piece of masked.split(/«secret:[^»]*»/)) {
        expect(piece).not.toContain(value);
        expect(piece).not.toContain(other);
      }
    }),
    { numRuns: 500 },
  );
});
