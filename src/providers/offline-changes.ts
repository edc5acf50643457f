// "What changed": the uncommitted work, by git through the bash tool, with the blocks it touches and what the checks say of it.

import type { Finding } from "../iac/findings.ts";
import { count } from "../lib/text.ts";
import { describe, toldIn } from "./offline-findings.ts";
import {
  HOW_TO_CONNECT,
  type OfflineTurn,
  callTools,
  isDenied,
  say,
  sayLast,
} from "./offline-turn.ts";
import type { ModelEvent } from "./provider.ts";

const STATUS = "git status --short";
/** Without context lines, so that much fits into what a command may return. */
const DIFF = "git --no-pager diff --no-ext-diff --no-color -U0 HEAD";
const MAX_FILES = 40;
const MAX_BLOCKS = 8;

type ChangedFile = {
  readonly path: string;
  added: number;
  removed: number;
  /** First lines of the blocks around the changes, as git names them. */
  readonly blocks: Set<string>;
};

/** Reads a unified diff. Pure. */
export function readDiff(diff: string): readonly ChangedFile[] {
  const files: ChangedFile[] = [];
  let isInHunk = false;
  for (const line of diff.split("\n")) {
    const path = /^diff --git a\/.* b\/(.*)$/.exec(line)?.[1];
    if (path !== undefined) {
      files.push({ path, added: 0, removed: 0, blocks: new Set() });
      isInHunk = false;
      continue;
    }
    const file = files.at(-1);
    if (file === undefined) continue;
    const hunk = /^@@ -\S+ \+\S+ @@ ?(.*)$/.exec(line);
    if (hunk !== null) {
      isInHunk = true;
      if (hunk[1] !== undefined && hunk[1] !== "")
        file.blocks.add(hunk[1].replace(/\s*\{\s*$/, ""));
    } else if (isInHunk && line.startsWith("+")) {
      file.added += 1;
      const header =
        /^\+((?:resource|data|module|variable|output|provider|locals|terraform)\b[^{]*)\{/.exec(
          line,
        )?.[1];
      if (header !== undefined) file.blocks.add(header.trim());
    } else if (isInHunk && line.startsWith("-")) file.removed += 1;
  }
  return files;
}

function fileRow({ path, added, removed, blocks }: ChangedFile): string {
  const named = [...blocks]
    .slice(0, MAX_BLOCKS)
    .map((block) => `\`${block.replaceAll("`", "'")}\``);
  const more = blocks.size > MAX_BLOCKS ? [`… ${blocks.size - MAX_BLOCKS} more`] : [];
  const where = named.length === 0 ? "" : `: ${[...named, ...more].join(", ")}`;
  return `- ${path} (+${added} −${removed})${where}`;
}

function untrackedIn(status: string): readonly string[] {
  return status.split("\n").flatMap((line) => (line.startsWith("?? ") ? [line.slice(3)] : []));
}

export type Check = () => Promise<readonly Finding[]>;

export async function* tellChanges(
  { done }: OfflineTurn,
  check: Check,
): AsyncGenerator<ModelEvent> {
  const of = (command: string) => done.find(({ args }) => args["command"] === command)?.result;
  const [status, diff] = [of(STATUS), of(DIFF)];
  if (status === undefined || diff === undefined) {
    yield* say("I look at what is not committed yet.\n\n");
    return yield callTools(["bash", { command: STATUS }], ["bash", { command: DIFF }]);
  }
  if (isDenied(status) || isDenied(diff)) return yield* sayLast(`I may not ask git: ${status}\n`);
  if (/not a git repository/i.test(status))
    return yield* sayLast(
      `This is no git repository, so I cannot tell what changed. Ask me to "review" the whole project.\n\n${HOW_TO_CONNECT}`,
    );
  const files = readDiff(diff);
  const untracked = untrackedIn(status);
  if (files.length + untracked.length === 0)
    return yield* sayLast(`Nothing has changed since the last commit.\n\n${HOW_TO_CONNECT}`);
  const validated = done.find(({ name }) => name === "iac_validate");
  const paths = [...files.map(({ path }) => path), ...untracked];
  if (validated === undefined) {
    const rows = [
      ...files.map(fileRow),
      ...untracked.map((path) => `- ${path} (new, not in git yet)`),
    ];
    const more = rows.length > MAX_FILES ? [`- … and ${rows.length - MAX_FILES} more`] : [];
    yield* say(
      `${count(paths.length, "file")} changed since the last commit:\n\n${[...rows.slice(0, MAX_FILES), ...more].join("\n")}\n\n`,
    );
    return yield callTools(["iac_validate", { paths: paths.slice(0, MAX_FILES), level: "fast" }]);
  }
  const findings = toldIn(validated.result, await check());
  const said =
    findings.length === 0
      ? "The checks find nothing in these files."
      : `In these files ${describe(findings, [])}`;
  yield* sayLast(
    `${said}\n\nThis is a comparison of texts, not a plan: what it would do to real resources only a plan can tell.\n\n${HOW_TO_CONNECT}`,
  );
}
