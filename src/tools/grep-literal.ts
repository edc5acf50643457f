// A text that every match of a regular expression must contain: a file without it is never decoded. Pure, and careful:
// whatever is not understood means "no such text", which is slower but right.

const MIN_LENGTH = 2;
const ZERO_WIDTH = new Set(["b", "B"]);
const CLASSES = new Set(["d", "D", "w", "W", "s", "S"]);
const CONTROLS = new Set(["t", "n", "r", "f", "v", "0"]);

/** One literal for each alternative; every match holds at least one of them. `undefined`: no such list. */
export function requiredLiterals(pattern: string): readonly string[] | undefined {
  const literals: string[] = [];
  const chars = Array.from(pattern);
  let runs: string[] = [];
  let run: string[] = [];
  const endRun = () => {
    runs.push(run.join(""));
    run = [];
  };
  const endBranch = (): boolean => {
    endRun();
    const longest = runs.toSorted((a, b) => b.length - a.length)[0] ?? "";
    runs = [];
    literals.push(longest);
    return longest.length >= MIN_LENGTH;
  };
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] ?? "";
    switch (char) {
      case "|":
        if (!endBranch()) return undefined;
        break;
      case "*":
      case "?":
      case "{": {
        // The character before may be absent.
        run.pop();
        endRun();
        if (char === "{") {
          const close = chars.indexOf("}", i);
          if (close === -1) return undefined;
          i = close;
        }
        break;
      }
      case "(":
      case "[": {
        endRun();
        const close = char === "[" ? endOfClass(chars, i) : endOfGroup(chars, i);
        if (close === undefined) return undefined;
        i = close;
        break;
      }
      case "\\": {
        const next = chars[++i] ?? "";
        if (ZERO_WIDTH.has(next)) break;
        if (CLASSES.has(next) || CONTROLS.has(next)) endRun();
        else if (/[\p{L}\p{N}]/u.test(next)) return undefined;
        else run.push(next);
        break;
      }
      case ".":
      case "^":
      case "$":
      case "+":
        endRun();
        break;
      default:
        run.push(char);
    }
  }
  return endBranch() ? literals : undefined;
}

function endOfClass(chars: readonly string[], open: number): number | undefined {
  for (let i = open + 1; i < chars.length; i++) {
    if (chars[i] === "\\") i++;
    else if (chars[i] === "]") return i;
  }
  return undefined;
}

function endOfGroup(chars: readonly string[], open: number): number | undefined {
  let depth = 0;
  for (let i = open; i < chars.length; i++) {
    const char = chars[i];
    if (char === "\\") i++;
    else if (char === "[") {
      const close = endOfClass(chars, i);
      if (close === undefined) return undefined;
      i = close;
    } else if (char === "(") depth++;
    else if (char === ")" && --depth === 0) return i;
  }
  return undefined;
}
