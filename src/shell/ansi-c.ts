// The body of `$'…'`: bash's ANSI-C quoting (https://www.gnu.org/software/bash/manual/, "ANSI-C Quoting").

const SIMPLE: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
const ESCAPE =
  /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c([\s\S])|([\s\S]))/g;

/** Decodes the text between the quotes. A code point that does not exist becomes U+FFFD. */
export function ansiCString(body: string): string {
  const decoded = body.replaceAll(ESCAPE, (_all, hex, short, long, octal, control, other) => {
    if (typeof control === "string") return String.fromCharCode(control.charCodeAt(0) & 0x1f);
    if (typeof other === "string") return SIMPLE[other] ?? other;
    const code =
      octal === undefined
        ? Number.parseInt(hex ?? short ?? long, 16)
        : Number.parseInt(octal, 8) & 0xff;
    return code > 0x10ffff ? "\uFFFD" : String.fromCodePoint(code);
  });
  // Bash ends the string at a NUL.
  return decoded.split("\0")[0] ?? "";
}
