// Reads a sed script command by command (GNU sed's grammar) and says whether it only prints and changes text.

type Reader = { readonly text: string; at: number };

const skip = (reader: Reader, pattern: RegExp): string => {
  const sticky = new RegExp(pattern.source, "y");
  sticky.lastIndex = reader.at;
  const found = sticky.exec(reader.text)?.[0] ?? "";
  reader.at += found.length;
  return found;
};

/** Moves past a part that ends at `delimiter`; false when it does not end. */
function skipPart(reader: Reader, delimiter: string): boolean {
  for (; reader.at < reader.text.length; reader.at += 1) {
    const char = reader.text[reader.at];
    if (char === "\\") reader.at += 1;
    else if (char === delimiter) {
      reader.at += 1;
      return true;
    }
  }
  return false;
}

/** Moves past `1`, `$`, `/re/`, `\\cREc`, `0~3`, `+2`; false when a pattern does not end. */
function skipAddress(reader: Reader): boolean {
  const char = reader.text[reader.at];
  if (char === "/" || char === "\\") {
    reader.at += char === "/" ? 1 : 2;
    const delimiter = char === "/" ? "/" : (reader.text[reader.at - 1] ?? "/");
    if (!skipPart(reader, delimiter)) return false;
    skip(reader, /[IM]*/);
    return true;
  }
  skip(reader, /[+~]?\d+(~\d+)?|\$/);
  return true;
}

function skipAddresses(reader: Reader): boolean {
  if (!skipAddress(reader)) return false;
  if (skip(reader, /\s*,\s*/) !== "" && !skipAddress(reader)) return false;
  skip(reader, /\s*(!\s*)*/);
  return true;
}

/** `s` and `y`: two parts and, for `s`, flags. The flags `w` and `e` write and run. */
function skipSubstitute(reader: Reader, hasFlags: boolean): boolean {
  const delimiter = reader.text[reader.at] ?? "";
  if (delimiter === "" || /[\s\\]/.test(delimiter)) return false;
  reader.at += 1;
  if (!skipPart(reader, delimiter) || !skipPart(reader, delimiter)) return false;
  if (hasFlags) skip(reader, /[gpiImM\d]*/);
  return true;
}

/** One command without its addresses; false when it may write, read another file or run something. */
function skipCommand(reader: Reader): boolean {
  const command = reader.text[reader.at] ?? "";
  reader.at += 1;
  if (command === "s" || command === "y") return skipSubstitute(reader, command === "s");
  if (command === "{" || command === "}" || command === "") return true;
  if (/[dDgGhHnNpPxzF=]/.test(command)) return true;
  if (/[lqQ]/.test(command)) return skip(reader, /\s*\d*/) !== undefined;
  if (/[btT:]/.test(command)) return skip(reader, /[^;\n}]*/) !== undefined;
  if (command === "#") return skip(reader, /[^\n]*/) !== undefined;
  // Text goes on to the end of the line; a backslash before the line's end goes on further.
  if (/[aic]/.test(command)) return skip(reader, /(?:\\[\s\S]|[^\n\\])*/) !== undefined;
  return false;
}

/** True when every command of the script is understood and none writes, reads another file or runs a program. */
export function isPlainSed(script: string): boolean {
  const reader: Reader = { text: script, at: 0 };
  for (;;) {
    skip(reader, /[\s;]*/);
    if (reader.at >= script.length) return true;
    if (!skipAddresses(reader) || !skipCommand(reader)) return false;
    // After a command only another's border may follow: a flag that is not known ends up here.
    if (
      !/[{}]/.test(script[reader.at - 1] ?? "") &&
      !/^\s*([;}#\n]|$)/.test(script.slice(reader.at))
    )
      return false;
  }
}
