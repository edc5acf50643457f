// Colours for a terminal that has them; plain text for NO_COLOR, dumb terminals and pipes. https://no-color.org

export type Paint = Readonly<
  Record<"bold" | "dim" | "red" | "green" | "yellow" | "cyan", (text: string) => string>
>;

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** A terminal that takes colours and moves its cursor, and whose user wants that. */
export function hasColours(stream: { readonly isTTY?: boolean }): boolean {
  const { NO_COLOR, TERM } = process.env;
  return stream.isTTY === true && (NO_COLOR === undefined || NO_COLOR === "") && TERM !== "dumb";
}

export function createPaint(stream: { readonly isTTY?: boolean }): Paint {
  const isPlain = !hasColours(stream);
  const with_ =
    ([on, off]: readonly [number, number]) =>
    (text: string) =>
      isPlain ? text : `\u001b[${on}m${text}\u001b[${off}m`;
  return {
    bold: with_(CODES.bold),
    dim: with_(CODES.dim),
    red: with_(CODES.red),
    green: with_(CODES.green),
    yellow: with_(CODES.yellow),
    cyan: with_(CODES.cyan),
  };
}
