// Programs that read files or text and print: the read list of the contract. They write only where an option says so.

import {
  hasOption,
  type Invocation,
  mayHaveOption,
  operandWords,
  valuesOf,
} from "../invocation.ts";
import { isHarmlessShopt } from "../shell-options.ts";
import { literal } from "../words.ts";
import type { CliTable, Verdict } from "./table.ts";
import { list } from "./verbs.ts";

const NAMES_ONLY = new Set(list("ls dir vdir exa eza lsd du stat file realpath readlink"));

/** Every operand is a file that is read. */
export const readers: CliTable = {
  name: "readers",
  programs: list(
    "cat tac wc nl od xxd hexdump strings paste tr fmt column comm join expand unexpand rev diff cmp colordiff md5sum sha1sum sha256sum sha512sum shasum cksum b2sum base64 base32 stat file du bat less more zcat zless zgrep bzcat xzcat ls dir vdir tree exa eza lsd readlink realpath basename dirname shuf tsort numfmt iconv hd look nproc getent",
  ),
  // No option takes the next word here: `-n` is a count for one and a flag for another. A count among the
  // files is harmless, a file taken for a count would not be.
  options: { clusters: true },
  otherwise: { class: "read", files: "read" },
  inspect: (call, verdict) => {
    if (call.program === "file" && mayHaveOption(call, "-C", "--compile", "-m", "--magic-file"))
      return { ...verdict, class: "unknown", reason: "reads or writes rules of its own" };
    if (NAMES_ONLY.has(call.program)) return { ...verdict, namesOnly: true };
    if (
      call.program === "tr" ||
      call.program === "basename" ||
      call.program === "dirname" ||
      call.program === "nproc" ||
      call.program === "getent" ||
      call.program === "numfmt"
    )
      return { ...verdict, reads: [] };
    if (call.program === "tree" || call.program === "iconv" || call.program === "shuf")
      return withOutput(call, verdict, ["-o", "--output"]);
    if (call.program === "xxd" && call.operands.length > 1)
      return { ...verdict, class: "write", writes: operandWords(call, 1) };
    if (call.program === "bat" && mayHaveOption(call, "--pager"))
      return { ...verdict, class: "unknown", reason: "--pager runs a program" };
    if (call.program === "base64" && hasOption(call, "-o")) return { ...verdict, class: "unknown" };
    // A key file may set variables, LESSOPEN among them.
    if (/^(z?less|more)$/.test(call.program))
      return mayHaveOption(
        call,
        "-k",
        "--lesskey-file",
        "--lesskey-src",
        "--lesskey-content",
        "-o",
        "-O",
        "--log-file",
        "--LOG-FILE",
      ) || operandWords(call).some(({ text }) => text?.startsWith("+") === true)
        ? { ...verdict, class: "unknown" }
        : verdict;
    return verdict;
  },
};

function withOutput(call: Invocation, verdict: Verdict, names: readonly string[]): Verdict {
  const writes = valuesOf(call, ...names);
  if (writes.length > 0) return { ...verdict, class: "write", writes };
  return mayHaveOption(call, ...names)
    ? { ...verdict, class: "unknown", reason: "writes to a file that is not named" }
    : verdict;
}

function inspectSearch(call: Invocation, verdict: Verdict): Verdict {
  if (call.program === "rg" && mayHaveOption(call, "--pre", "--hostname-bin"))
    return { ...verdict, class: "unknown", reason: "--pre runs a program" };
  if (call.program !== "rg" && mayHaveOption(call, "--pager"))
    return { ...verdict, class: "unknown" };
  const hasPattern =
    hasOption(call, "-e", "--regexp", "-f", "--file", "--files") ||
    call.options.some(({ name }) => name.startsWith("--regexp"));
  const named = operandWords(call, hasPattern ? 0 : 1);
  // Without a file, a recursive search goes through the folder where it runs.
  const isRecursive =
    call.program === "rg" ||
    mayHaveOption(call, "-r", "-R", "--recursive", "--dereference-recursive");
  const places = named.length === 0 && isRecursive ? [literal(".")] : named;
  return { ...verdict, reads: [...places, ...valuesOf(call, "-f", "--file")] };
}

/** Like the readers, with options whose value is certain. */
export const cutters: CliTable = {
  name: "cutters",
  programs: ["cut", "fold"],
  options: {
    clusters: true,
    withValue: list(
      "-d --delimiter -f --fields -c --characters -b --bytes -w --width --output-delimiter",
    ),
  },
  otherwise: { class: "read", files: "read" },
};
export const headsAndTails: CliTable = {
  name: "heads-and-tails",
  programs: ["head", "tail", "ghead", "gtail"],
  options: { clusters: true, withValue: list("-n --lines -c --bytes") },
  otherwise: { class: "read", files: "read" },
};
export const otherSearchers: CliTable = {
  name: "other-searchers",
  programs: ["ag", "ack"],
  options: { clusters: true },
  otherwise: { class: "read", files: "read" },
  inspect: (call, verdict) =>
    mayHaveOption(call, "--pager", "--ackrc", "--output")
      ? { ...verdict, class: "unknown", reason: "an option runs a program or loads settings" }
      : call.operands.length > 1
        ? verdict
        : { ...verdict, reads: [literal(".")] },
};

/** A pattern first, then files. */
export const searchers: CliTable = {
  name: "searchers",
  programs: ["grep", "egrep", "fgrep"],
  options: {
    clusters: true,
    withValue: list(
      "-e --regexp -f --file -A --after-context -B --before-context -C --context -m --max-count --include --exclude --exclude-dir --exclude-from -d --directories -D --devices --label",
    ),
  },
  otherwise: "read",
  inspect: inspectSearch,
};

export const fastSearchers: CliTable = {
  name: "fast-searchers",
  programs: ["rg"],
  options: {
    clusters: true,
    withValue: list(
      "-e --regexp -f --file -A --after-context -B --before-context -C --context -m --max-count -g --glob -t --type -T --type-not --max-depth -d --pre --color --colour -M --max-columns -j --threads -r --replace --sort -E --encoding",
    ),
  },
  otherwise: "read",
  inspect: inspectSearch,
};

/** Sorting and counting; `-o` and a second operand write. */
export const sorters: CliTable = {
  name: "sorters",
  programs: ["sort", "gsort"],
  options: {
    clusters: true,
    withValue: list(
      "-k --key -t --field-separator -o --output -S --buffer-size -T --temporary-directory --parallel --files0-from --compress-program --batch-size",
    ),
  },
  otherwise: "read",
  inspect: (call, verdict) => {
    if (mayHaveOption(call, "--compress-program"))
      return { ...verdict, class: "unknown", reason: "runs a program" };
    return withOutput(call, { ...verdict, reads: operandWords(call) }, ["-o", "--output"]);
  },
};

/** The second operand of uniq is written. */
export const uniq: CliTable = {
  name: "uniq",
  programs: ["uniq"],
  options: { clusters: true, withValue: list("-f --skip-fields -s --skip-chars -w --check-chars") },
  otherwise: "read",
  inspect: (call, verdict) => {
    const reads = operandWords(call).slice(0, 1);
    const writes = operandWords(call, 1);
    return writes.length === 0
      ? { ...verdict, reads }
      : { ...verdict, class: "write", reads, writes };
  },
};

/** Words only: nothing is opened. */
export const printers: CliTable = {
  name: "printers",
  programs: list(
    "echo printf pwd which whereis type true false : test [ date whoami id uname hostname arch uptime seq yes sleep expr factor tput clear tty groups logname locale cal bc history hash jobs wait dirs times exit return break continue umask ulimit shopt unalias unset cygpath lsb_release free df nproc ps pgrep lscpu lsblk who w last complete compgen let man info help apropos whatis tldr",
  ),
  otherwise: "read",
  inspect: (call, verdict) => {
    if (setsSystem(call)) return { ...verdict, class: "mutate", reason: "changes the system" };
    if (call.program === "jobs" && hasOption(call, "-x"))
      return { ...verdict, class: "unknown", reason: "jobs -x runs a command" };
    // Patterns would stand for other files than those that were looked at.
    if (
      call.program === "shopt" &&
      mayHaveOption(call, "-s", "-u") &&
      operandWords(call).some(({ text }) => !isHarmlessShopt(text))
    )
      return { ...verdict, class: "unknown", reason: "changes what patterns and words stand for" };
    if (call.program === "history" && hasOption(call, "-w", "-a"))
      return { ...verdict, class: "unknown", reason: "writes a file" };
    // A remembered path makes another program run under a known name.
    if (call.program === "hash" && hasOption(call, "-p"))
      return { ...verdict, class: "unknown", reason: "gives a name to another program" };
    if (/^(complete|compgen)$/.test(call.program) && call.options.length > 0)
      return { ...verdict, class: "unknown" };
    if (MANUALS.test(call.program)) return inspectManual(call, verdict);
    return /^(bc|last|date)$/.test(call.program)
      ? { ...verdict, reads: operandWords(call) }
      : verdict;
  },
};

/** `date MMDDhhmm` and `hostname x` set what they else show. */
function setsSystem(call: Invocation): boolean {
  if (call.program === "hostname") return call.operands.length > 0;
  if (call.program !== "date") return false;
  return (
    mayHaveOption(call, "-s", "--set") ||
    call.operands.some(
      ({ word, at }) =>
        /^\d{8,12}(\.\d+)?$/.test(word.text ?? "") &&
        !/^(-d|--date)$/.test(call.words[at - 1]?.text ?? ""),
    )
  );
}

const MANUALS = /^(man|info|help|whatis|apropos|tldr)$/;
/** Searching, listing, choosing a section. Others load settings, choose a pager or write. */
const MANUAL_OPTIONS = /^(-[akfwWKds]|--(all|apropos|whatis|where|path|usage|help|version|exact))$/;

/** A page named by a path, and options that are not known, may run a program. */
function inspectManual(call: Invocation, verdict: Verdict): Verdict {
  const plain =
    call.options.every(({ name }) => MANUAL_OPTIONS.test(name)) &&
    operandWords(call).every(({ text }) => text?.includes("/") === false);
  return plain
    ? verdict
    : { ...verdict, class: "unknown", reason: "an option or a page may run a program" };
}

/** Prints the environment, keys among it. `env CMD` is a wrapper and never comes here. */
export const environment: CliTable = {
  name: "environment",
  programs: ["env", "printenv"],
  otherwise: { class: "plan", warning: "prints secrets: the environment may hold keys" },
};
