// The fenced blocks of a Markdown page, and small checks for languages whose parser is not at hand.

export type Snippet = {
  readonly language: string;
  readonly text: string;
  /** Line of the page, from 1. */
  readonly line: number;
};

export function snippetsOf(page: string): Snippet[] {
  return [...page.matchAll(/^(`{3,})(\w+)\n([\s\S]*?)^\1$/gm)].map((match) => ({
    language: match[2] ?? "",
    text: match[3] ?? "",
    line: page.slice(0, match.index).split("\n").length,
  }));
}

const CLOSERS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** What is wrong with brackets, strings and comments; `undefined` when all are closed in order. */
export function bracketFault(text: string, comment: string): string | undefined {
  const open: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (text.startsWith(comment, at)) {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
    } else if (char === '"') {
      const string = /"(?:[^"\\\n]|\\.)*"/y;
      string.lastIndex = at;
      const found = string.exec(text);
      if (found === null) return `a string is not closed at ${at}`;
      at += found[0].length - 1;
    } else if (char in CLOSERS) open.push(CLOSERS[char] ?? "");
    else if (/[)\]}]/.test(char) && open.pop() !== char) return `${char} closes nothing at ${at}`;
  }
  return open.length === 0 ? undefined : `${open.join("")} is missing`;
}
