// Splits streamed content into thought and text where a model writes its reasoning as `<think>…</think>`. Pure.
// Tags count only at the start of the content; later, or in code, they are text.

export type ThinkPiece = { readonly type: "text" | "thought"; readonly text: string };

export type ThinkSplitter = {
  readonly push: (text: string) => readonly ThinkPiece[];
  /** What was held back because it could still have become a tag. */
  readonly end: () => readonly ThinkPiece[];
};

const OPEN = "<think>";
const CLOSE = "</think>";

/**
 * `thought()` tells whether a thought has already begun elsewhere (in a reasoning field): only then a bare `</think>`
 * at the start of the content is its end and not text. Any chunking gives the same text and thought.
 */
export function createThinkSplitter(thought: () => boolean = () => false): ThinkSplitter {
  let state: "start" | "thought" | "after" | "text" = "start";
  let held = "";

  function atStart(isEnd: boolean): readonly ThinkPiece[] {
    const body = held.trimStart();
    if (body.startsWith(OPEN)) return enter("thought", body.slice(OPEN.length), isEnd);
    if (thought() && body.startsWith(CLOSE)) return enter("after", body.slice(CLOSE.length), isEnd);
    const undecided = OPEN.startsWith(body) || (thought() && CLOSE.startsWith(body));
    return undecided && !isEnd ? [] : enter("text", held, isEnd);
  }

  function inThought(isEnd: boolean): readonly ThinkPiece[] {
    const close = held.indexOf(CLOSE);
    if (close !== -1) {
      const before = held.slice(0, close);
      return [
        ...piece("thought", before),
        ...enter("after", held.slice(close + CLOSE.length), isEnd),
      ];
    }
    const keep = isEnd ? 0 : tailLength(held);
    const out = held.slice(0, held.length - keep);
    held = held.slice(held.length - keep);
    return piece("thought", out);
  }

  /** Blank lines between a thought and its answer belong to neither. */
  function afterThought(isEnd: boolean): readonly ThinkPiece[] {
    held = held.trimStart();
    return held === "" ? [] : enter("text", held, isEnd);
  }

  function enter(next: typeof state, rest: string, isEnd: boolean): readonly ThinkPiece[] {
    state = next;
    held = rest;
    return step(isEnd);
  }

  function step(isEnd: boolean): readonly ThinkPiece[] {
    if (state === "start") return atStart(isEnd);
    if (state === "thought") return inThought(isEnd);
    if (state === "after") return afterThought(isEnd);
    const out = held;
    held = "";
    return piece("text", out);
  }

  return {
    push: (text) => {
      held += text;
      return step(false);
    },
    end: () => step(true),
  };
}

const piece = (type: ThinkPiece["type"], text: string): readonly ThinkPiece[] =>
  text === "" ? [] : [{ type, text }];

/** How many characters at the end of `text` may be the beginning of a closing tag. */
function tailLength(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length -= 1)
    if (CLOSE.startsWith(text.slice(-length))) return length;
  return 0;
}
