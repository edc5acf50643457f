// One run of an expression over many lines at once, which tells that none of them matches: most files hold no match, and
// to cut them into lines costs more than to search them. Pure, and careful: what is not understood is searched by line.

/** Longer texts are asked in parts: an expression that backtracks is given up by the engine after some million steps. */
const MAX_PART_LENGTH = 64 * 1024;
/** The engine gives an expression up in silence after about half a second: a "no" that took this long is not believed. */
const MAX_BELIEVED_MS = 20;
/** After so many of them the expression is no longer asked of whole texts: it would only be run twice. */
const MAX_DOUBTS = 3;

/** False only where no line of the text has a match. `undefined`: the expression must be tried line by line. */
export function createTextProbe(
  regex: RegExp,
  maxBelievedMs = MAX_BELIEVED_MS,
): ((text: string) => boolean) | undefined {
  const source = withoutLineEnds(regex.source, regex.unicode);
  if (source === undefined) return undefined;
  const anywhere = new RegExp(source, `${regex.flags}m`);
  let doubts = 0;
  return (text) => {
    if (doubts >= MAX_DOUBTS) return true;
    for (let from = 0; from < text.length;) {
      const cut = text.indexOf("\n", from + MAX_PART_LENGTH) + 1;
      const to = cut === 0 ? text.length : cut;
      const started = performance.now();
      if (anywhere.test(text.slice(from, to))) return true;
      if (performance.now() - started > maxBelievedMs) {
        doubts++;
        return true;
      }
      from = to;
    }
    return false;
  };
}

/**
 * The expression with every class kept from matching `\n`, to be run with the flag `m`: it then matches at each place
 * where `pattern` matches in a line of its own, since `^`, `$`, `\b` and `.` hold there too. (Elsewhere it may as well:
 * `m` knows more line ends.) `undefined` where that would not be so, or is not known.
 */
export function withoutLineEnds(pattern: string, isUnicode: boolean): string | undefined {
  if (pattern.includes("\n")) return undefined;
  // What may backtrack without end would do so here, and again by line.
  if (REPEATED_GROUP.test(pattern)) return undefined;
  const out: string[] = [];
  for (let i = 0; i < pattern.length;) {
    const token = TOKEN.exec(pattern.slice(i))?.[0] ?? "";
    const rewritten = rewrite(token, isUnicode);
    if (rewritten === undefined) return undefined;
    out.push(rewritten);
    i += token.length;
  }
  return out.join("");
}

const REPEATED_GROUP = /\)[*+{]/;
/** A bracketed class, an escape, the head of a group, or one character. */
const TOKEN = /^(?:\[(?:\\[^]|[^\\\]])*\]|\\[^]|\(\?(?:<[=!]|[^])|[^])/;
/** Groups that only group: no looking ahead or behind, no flags of their own. */
const PLAIN_GROUPS = new Set(["(?:", "(?<"]);
/** A class of printable characters and of escapes that stand for none below them. */
const PRINTABLE_CLASS = /^\[(?:[^\\\u0000-\u001F]|\\[wdS]|\\[^\w\s])*\]$/;

function rewrite(token: string, isUnicode: boolean): string | undefined {
  if (token.startsWith("[^"))
    // A hyphen there would become a range.
    return token[2] === "-" ? undefined : `[^\\n${token.slice(2)}`;
  if (token.length > 1 && token.startsWith("["))
    return PRINTABLE_CLASS.test(token) ? token : `(?:(?!\\n)${token})`;
  if (token.startsWith("(?")) return PLAIN_GROUPS.has(token) ? token : undefined;
  if (!token.startsWith("\\")) return token === "[" ? undefined : token;
  switch (token) {
    case "\\s":
      return "[^\\S\\n]";
    case "\\D":
      return "[^\\d\\n]";
    case "\\W":
      return isUnicode ? "(?:(?!\\n)\\W)" : "[^\\w\\n]";
    case "\\b":
    case "\\B":
    case "\\d":
    case "\\w":
    case "\\S":
    case "\\t":
    case "\\r":
      return token;
    default:
      // Of letters and digits some stand for a line end, and some refer to a group.
      return /\\[\p{L}\p{N}]/u.test(token) ? undefined : token;
  }
}
