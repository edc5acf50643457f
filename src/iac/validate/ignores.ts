// `# iac-code:ignore HCL-UNUSED reason` on a line, or on a line of its own above, silences those codes there.

import type { Finding } from "../findings.ts";
import type { Comment } from "../hcl/tree.ts";

const MARK = /^\s*iac-code:ignore\s+([A-Z0-9]+(?:-[A-Z0-9]+)+(?:\s*,\s*[A-Z0-9]+(?:-[A-Z0-9]+)+)*)/;
const YAML_MARK = /(^|\s)#(\s*iac-code:ignore\s.*)$/;

/** A file whose findings may be silenced: HCL brings its comments, other text is searched for `#`. */
export type Marked = {
  readonly path: string;
  readonly text: string;
  readonly comments?: readonly Comment[];
};

/** Splits off what is silenced; the number of those findings is `ignored`. */
export function withoutIgnored(
  findings: readonly Finding[],
  files: readonly Marked[],
): { readonly findings: readonly Finding[]; readonly ignored: number } {
  const marks = new Map<string, ReadonlyMap<number, ReadonlySet<string>>>();
  for (const file of files)
    if (file.text.includes("iac-code:ignore")) marks.set(file.path, marksOf(file));
  const kept = findings.filter(({ file, line, code }) => !marks.get(file)?.get(line)?.has(code));
  return { findings: kept, ignored: findings.length - kept.length };
}

type Mark = { readonly line: number; readonly ownLine: boolean; readonly codes: readonly string[] };

function marksOf(file: Marked): ReadonlyMap<number, ReadonlySet<string>> {
  const marks = file.comments === undefined ? textMarks(file.text) : commentMarks(file.comments);
  const ownLines = new Set(marks.filter(({ ownLine }) => ownLine).map(({ line }) => line));
  const byLine = new Map<number, Set<string>>();
  for (const { line, ownLine, codes } of marks) {
    let target = line;
    // Several marks may stand above one line.
    if (ownLine) while (ownLines.has(target)) target++;
    const there = byLine.get(target) ?? new Set<string>();
    for (const code of codes) there.add(code);
    byLine.set(target, there);
  }
  return byLine;
}

function commentMarks(comments: readonly Comment[]): Mark[] {
  return comments.flatMap(({ text, span, ownLine }) => {
    const codes = codesOf(text);
    return codes.length === 0 ? [] : [{ line: span.line, ownLine, codes }];
  });
}

function textMarks(text: string): Mark[] {
  return text.split("\n").flatMap((line, index) => {
    const match = YAML_MARK.exec(line);
    const codes = codesOf(match?.[2] ?? "");
    const ownLine = line.slice(0, match?.index ?? 0).trim() === "";
    return codes.length === 0 ? [] : [{ line: index + 1, ownLine, codes }];
  });
}

function codesOf(comment: string): readonly string[] {
  return MARK.exec(comment)?.[1]?.split(/\s*,\s*/) ?? [];
}
