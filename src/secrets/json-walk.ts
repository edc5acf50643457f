// Every leaf of a JSON text with its path and position: JSON.parse loses positions, and masking must keep all else as it is.

export type JsonLeaf = {
  /** Keys and indices from the root. */
  readonly path: readonly string[];
  readonly kind: "string" | "other";
  /** Inside the quotes for a string. */
  readonly start: number;
  readonly end: number;
};

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

type Level = { readonly isArray: boolean; index: number; key: string };

/** Calls `visit` for each leaf of a text that JSON.parse accepts. The path array is only valid during the call. */
export function walkJson(text: string, visit: (leaf: JsonLeaf) => void): void {
  const levels: Level[] = [];
  let expectsKey = false;
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    const top = levels.at(-1);
    if (token === "{" || token === "[") {
      levels.push({ isArray: token === "[", index: 0, key: "" });
      expectsKey = token === "{";
    } else if (token === "}" || token === "]") {
      levels.pop();
      expectsKey = false;
    } else if (token === ",") {
      if (top !== undefined) top.index += 1;
      expectsKey = top?.isArray === false;
    } else if (token === ":") expectsKey = false;
    else if (expectsKey && top !== undefined) top.key = String(JSON.parse(token));
    else {
      const isString = token.startsWith('"');
      const path = levels.map((level) => (level.isArray ? String(level.index) : level.key));
      const [start, end] = isString
        ? [match.index + 1, match.index + token.length - 1]
        : [match.index, match.index + token.length];
      visit({ path, kind: isString ? "string" : "other", start, end });
    }
  }
}
