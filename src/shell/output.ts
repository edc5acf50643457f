// What a command prints, where that is literal: the text that `echo … | sh` runs, the files that `find … | xargs` gets.

import { basename } from "node:path/posix";
import type { Classified } from "./classify.ts";
import type { Stdin } from "./unwrap.ts";

const UNKNOWN: Stdin = { type: "unknown" };

function echoed(words: readonly (string | undefined)[]): Stdin {
  const flags = /^-[neE]+$/;
  const from = words.findIndex((word) => word === undefined || !flags.test(word));
  const rest = from < 0 ? [] : words.slice(from);
  const escapes = words.slice(0, Math.max(from, 0)).some((word) => word?.includes("e") === true);
  // A shell other than bash may read backslashes without -e.
  if (rest.includes(undefined) || rest.some((word) => word?.includes("\\") === true))
    return UNKNOWN;
  return escapes && rest.some((word) => /\\/.test(word ?? ""))
    ? UNKNOWN
    : { type: "text", text: `${rest.join(" ")}\n` };
}

function formatted(words: readonly (string | undefined)[]): Stdin {
  const [format, ...rest] = words;
  if (format === undefined || rest.includes(undefined) || format.startsWith("-")) return UNKNOWN;
  const plain = format.replaceAll("\\n", "\n");
  if (/\\/.test(plain) || /%(?!s)/.test(plain)) return UNKNOWN;
  const holes = (plain.match(/%s/g) ?? []).length;
  if (holes === 0) return { type: "text", text: plain };
  if (holes !== rest.length) return UNKNOWN;
  let at = 0;
  return { type: "text", text: plain.replaceAll("%s", () => rest[at++] ?? "") };
}

/** `find DIR -name PATTERN` without anything but tests: the pattern below each folder. */
function foundPaths(words: readonly (string | undefined)[]): Stdin {
  const firstTest = words.findIndex((word) => word?.startsWith("-") !== false);
  const folders = firstTest <= 0 ? ["."] : words.slice(0, firstTest);
  const at = words.indexOf("-name");
  const pattern = at < 0 ? undefined : words[at + 1];
  const others = words
    .slice(firstTest)
    .filter(
      (word) => word === undefined || /^-(o|or|not|a?newer|iname|path|regex)$|^[!(,]/.test(word),
    );
  if (
    pattern === undefined ||
    others.length > 0 ||
    folders.includes(undefined) ||
    words.filter((word) => word === "-name").length > 1
  )
    return UNKNOWN;
  return { type: "paths", paths: folders.map((folder) => `${folder}/**/${basename(pattern)}`) };
}

/** What the command writes to its stdout. */
export function printed(command: Classified, stdin: Stdin): Stdin {
  const [program, ...words] = command.argv.map((word) => word.text);
  if (program === "echo") return echoed(words);
  if (program === "printf") return formatted(words);
  if (program === "cat" && words.length === 0) return stdin;
  if (program === "find" && command.class === "read") return foundPaths(words);
  if (/^(sort|uniq|head|tail)$/.test(program ?? "") && stdin.type === "paths") return stdin;
  return UNKNOWN;
}
