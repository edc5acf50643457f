// find and fd: they look, and run or delete for what they find.

import { type Invocation, operandWords } from "../invocation.ts";
import { literal, type Word } from "../words.ts";
import type { CliTable, Run, Verdict } from "./table.ts";
import { list } from "./verbs.ts";

const FIND_RUNS = /^-(exec|execdir|ok|okdir)$/;
const FIND_WRITES = /^-(fprint|fprint0|fprintf|fls)$/;

type FindScan = { runs: Run[]; writes: Word[]; deletes: boolean; dynamic: boolean };

function scanFind(words: readonly Word[], found: Word): FindScan {
  const scan: FindScan = { runs: [], writes: [], deletes: false, dynamic: false };
  for (let at = 0; at < words.length; at += 1) {
    const text = words[at]?.text;
    if (text === undefined) scan.dynamic = true;
    else if (text === "-delete") scan.deletes = true;
    else if (FIND_WRITES.test(text)) {
      const target = words[at + 1];
      if (target !== undefined) scan.writes.push(target);
    } else if (FIND_RUNS.test(text)) {
      const rest = words.slice(at + 1);
      const end = rest.findIndex(
        (word, index) => word.text === ";" || (word.text === "+" && rest[index - 1]?.text === "{}"),
      );
      const inner = end < 0 ? rest : rest.slice(0, end);
      // A shell line with {} inside is put together at run time.
      scan.runs.push({
        type: "words",
        words: inner.map((word) =>
          word.text === "{}"
            ? found
            : word.text?.includes("{}") === true
              ? { text: undefined, prefix: "" }
              : word,
        ),
      });
      at += inner.length + 1;
    } else if (
      /^-(i?name|i?path|i?regex|i?wholename|type|maxdepth|mindepth|newer\w*|size|[amc](time|min)|perm|user|group|printf|fstype|inum|links|regextype)$/.test(
        text,
      )
    )
      at += 1;
  }
  return scan;
}

/** What {} stands for: files of a pattern, where the tests name just one. */
function foundFile(words: readonly Word[], folders: readonly Word[]): Word {
  const at = words.findIndex(({ text }) => text === "-name");
  const pattern = at < 0 ? undefined : words[at + 1]?.text;
  const simple =
    !words.some(({ text }) => text === undefined || /^-(o|or|not|iname)$|^[!(,]$/.test(text)) &&
    words.filter(({ text }) => text === "-name").length === 1;
  const folder = folders.length === 0 ? "." : folders.length === 1 ? folders[0]?.text : undefined;
  return pattern === undefined || folder === undefined || !simple
    ? { text: undefined, prefix: "./" }
    : literal(`${folder}/**/${pattern}`);
}

function inspectFind(call: Invocation, verdict: Verdict): Verdict {
  const first = call.words.findIndex(
    ({ text, prefix }) => (text ?? prefix).startsWith("-") || text === "(" || text === "!",
  );
  const leading = call.words[0]?.text;
  const skip = leading !== undefined && /^-(H|L|P|O\d|D)$/.test(leading) ? 1 : 0;
  const from =
    skip > 0
      ? call.words.findIndex(({ text }, at) => at >= skip && text?.startsWith("-") === true)
      : first;
  const folders = call.words.slice(skip, from < 0 ? undefined : from);
  const tests = from < 0 ? [] : call.words.slice(from);
  const { runs, writes, deletes, dynamic } = scanFind(tests, foundFile(tests, folders));
  const base: Verdict = { ...verdict, reads: folders, writes, runs };
  if (deletes) return { ...base, class: "destroy", reason: "deletes every file that is found" };
  if (dynamic)
    return { ...base, class: "unknown", reason: "a test of find is known only at run time" };
  if (tests.some(({ text }) => text?.startsWith("-files0-from") === true))
    return { ...base, class: "unknown" };
  // rm for each file found takes a whole tree away, like -delete.
  if (
    runs.some(
      (run) => run.type === "words" && /(^|\/)(rm|shred|unlink)$/.test(run.words[0]?.text ?? ""),
    )
  )
    return { ...base, class: "destroy", reason: "deletes every file that is found" };
  return { ...base, class: writes.length > 0 ? "write" : "read" };
}

export const find: CliTable = {
  name: "find",
  programs: ["find", "gfind"],
  otherwise: "read",
  inspect: inspectFind,
};

/** fd runs programs as find does, with other words. */
export const fd: CliTable = {
  name: "fd",
  programs: ["fd", "fdfind", "locate"],
  options: {
    clusters: true,
    withValue: list(
      "-e --extension -t --type -d --max-depth -E --exclude -x --exec -X --exec-batch -S --size --base-directory",
    ),
  },
  otherwise: "read",
  inspect: (call, verdict) => {
    const at = call.options.find(({ name }) => /^(-x|-X|--exec|--exec-batch)$/.test(name))?.at;
    if (at === undefined) return { ...verdict, reads: operandWords(call, 1) };
    const words = call.words
      .slice(at + 1)
      .map((word) =>
        word.text?.includes("{") === true ? { text: undefined, prefix: "./" } : word,
      );
    return {
      ...verdict,
      runs: [{ type: "words", words: [...words, { text: undefined, prefix: "./" }] }],
    };
  },
};
