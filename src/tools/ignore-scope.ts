// Which entries the lines of an ignore file can be about at all, told from their literal parts: nearly every entry of a
// tree is about none, and is then never matched. Pure, and careful: whatever is not understood is about everything.

export type IgnoreScope = {
  /**
   * For a folder, its path below the ignore file's folder with `/` (`""`: that folder itself): a test of names in it.
   * False means that no line matches the entry; true means nothing.
   */
  readonly within: (folder: string) => (name: string) => boolean;
};

type LinePart =
  /** The entry has this name. */
  | { readonly type: "name"; readonly text: string }
  /** The entry's name holds this text. */
  | { readonly type: "piece"; readonly text: string }
  /** The path of the entry's folder holds this text; `""` for every folder. */
  | { readonly type: "folder"; readonly text: string };

const EVERYTHING: LinePart = { type: "folder", text: "" };

/** `text` is what stands in the file. */
export function ignoreScope(text: string): IgnoreScope {
  const parts = text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .map(partOf)
    .filter((part) => part !== undefined);
  const textsOf = (type: LinePart["type"]) =>
    parts.filter((part) => part.type === type).map((part) => part.text);
  const names = new Set(textsOf("name"));
  const pieces = textsOf("piece");
  const folders = textsOf("folder");
  const mayName = (name: string) => {
    if (names.has(name)) return true;
    for (const piece of pieces) if (name.includes(piece)) return true;
    return false;
  };
  return {
    within: (folder) => (folders.some((part) => folder.includes(part)) ? () => true : mayName),
  };
}

function partOf(line: string): LinePart | undefined {
  const rule = line.replace(/^!/, "").replace(/ +$/, "").replace(/\/$/, "");
  if (rule === "" || line.startsWith("#")) return undefined;
  if (rule.includes("\\")) return EVERYTHING;
  const cut = rule.lastIndexOf("/") + 1;
  const name = rule.slice(cut);
  if (!/[*?[]/.test(name)) return name === "" ? EVERYTHING : { type: "name", text: name };
  const piece = longestPiece(name);
  if (piece === "") return { type: "folder", text: longestPiece(rule.slice(0, cut)) };
  // Two asterisks beside other characters: what they mean is left to the matcher.
  return name.includes("**") ? EVERYTHING : { type: "piece", text: piece };
}

/** Of the texts between wildcards and slashes, up to the first bracket. */
function longestPiece(pattern: string): string {
  const pieces = (pattern.split("[", 1)[0] ?? "").split(/[*?/]+/);
  return pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), "");
}
