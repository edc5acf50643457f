// `# iac-code:ignore IAC-AWS-001 reason` on a line, or on a line of its own above, silences that rule there.

import type { RuleSource } from "./source.ts";

const MARK = /^\s*iac-code:ignore\s+(IAC-[A-Z0-9]+-\d+(?:\s*,\s*IAC-[A-Z0-9]+-\d+)*)/;

/** Line → the ids silenced on it. */
export type Ignores = ReadonlyMap<number, ReadonlySet<string>>;

type Mark = { readonly line: number; readonly ownLine: boolean; readonly ids: readonly string[] };

export function ignoresOf(source: RuleSource): Ignores {
  const marks = source.dialect === "hcl" ? hclMarks(source.hcl.comments) : yamlMarks(source.text);
  const ownLines = new Set(marks.filter(({ ownLine }) => ownLine).map(({ line }) => line));
  const ignores = new Map<number, Set<string>>();
  for (const { line, ownLine, ids } of marks) {
    let target = line;
    // Several marks may stand above one line.
    if (ownLine) while (ownLines.has(target)) target++;
    const there = ignores.get(target) ?? new Set<string>();
    for (const id of ids) there.add(id);
    ignores.set(target, there);
  }
  return ignores;
}

function hclMarks(
  comments: readonly { text: string; span: { line: number }; ownLine: boolean }[],
): readonly Mark[] {
  return comments.flatMap(({ text, span, ownLine }) => {
    const ids = idsOf(text);
    return ids.length === 0 ? [] : [{ line: span.line, ownLine, ids }];
  });
}

function yamlMarks(text: string): readonly Mark[] {
  if (!text.includes("iac-code:ignore")) return [];
  return text.split("\n").flatMap((line, index) => {
    const hash = /(?:^|\s)#/.exec(line);
    if (hash === null) return [];
    // A "#" inside a quoted text before the comment is skipped by looking for the mark itself.
    const start = line.search(/#\s*iac-code:ignore\b/);
    const ids = start < 0 ? [] : idsOf(line.slice(start + 1));
    return ids.length === 0
      ? []
      : [{ line: index + 1, ownLine: line.slice(0, start).trim() === "", ids }];
  });
}

function idsOf(comment: string): readonly string[] {
  return MARK.exec(comment)?.[1]?.split(/\s*,\s*/) ?? [];
}
