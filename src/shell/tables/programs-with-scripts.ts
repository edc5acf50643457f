// sed, awk, jq and yq: their first operand is a program of its own, which may write or run things.

import {
  hasOption,
  type Invocation,
  mayHaveOption,
  operandWords,
  valuesOf,
} from "../invocation.ts";
import type { Word } from "../words.ts";
import type { CliTable, Verdict } from "./table.ts";
import { list } from "./verbs.ts";

const unknown = (verdict: Verdict, reason: string): Verdict => ({
  ...verdict,
  class: "unknown",
  reason,
});

/** Addresses and separators aside, a command of a sed script that writes a file (`w`) or runs one (`e`). */
function sedIsDangerous(script: string): boolean {
  const bare = script
    .replaceAll(/\\./g, "..")
    .replaceAll(/\bs([^\w\s\\])(?:(?!\1)[\s\S])*\1(?:(?!\1)[\s\S])*\1/g, "s///")
    .replaceAll(/\/[^/\n]*\//g, "//")
    .replaceAll(/\by([^\w\s\\])(?:(?!\1)[\s\S])*\1(?:(?!\1)[\s\S])*\1/g, "y///");
  if (/s\/\/\/[a-zA-Z0-9]*[ewW]/.test(bare)) return true;
  return /(^|[;{}\n/\d$,!\s])[eWwrR](\s|$)/.test(bare.replaceAll(/s\/\/\/[gpiImM0-9]*/g, ""));
}

function inspectSed(call: Invocation, verdict: Verdict): Verdict {
  const given = valuesOf(call, "-e", "--expression");
  const fromFile = hasOption(call, "-f", "--file");
  const scripts = given.length > 0 || fromFile ? given : operandWords(call).slice(0, 1);
  const files = operandWords(call, given.length > 0 || fromFile ? 0 : 1);
  const inPlace =
    call.options.some(({ name }) => /^-i|^-I|^--in-place|^--in-p/.test(name)) ||
    mayHaveOption(call, "--in-place");
  if (fromFile) return unknown(verdict, "runs a sed script from a file");
  if (call.dynamic && scripts.some(({ text }) => text === undefined))
    return unknown(verdict, "the sed script is known only at run time");
  if (scripts.some(({ text }) => text === undefined || sedIsDangerous(text)))
    return unknown(verdict, "the sed script may write files or run programs");
  return inPlace
    ? { ...verdict, class: "write", reads: files, writes: files }
    : { ...verdict, class: "read", reads: files };
}

export const sed: CliTable = {
  name: "sed",
  programs: ["sed", "gsed"],
  options: {
    clusters: true,
    withValue: list("-e --expression -f --file -l --line-length"),
    flags: list("-i --in-place"),
  },
  otherwise: "read",
  inspect: inspectSed,
};

const AWK_DANGER = /\bsystem\s*\(|\|&?|\bgetline\b|>|@(load|include)|\bfflush\b|\bprintf?\b[^;}]*>/;

/** A `>` in a condition compares; inside an action it may write. Comparisons outside braces are taken out first. */
function awkIsDangerous(script: string): boolean {
  const noText = script
    .replaceAll(/"(?:\\.|[^"\\])*"/g, '""')
    .replaceAll(/\/(?:\\.|[^/\\\n])+\//g, "//");
  const actions = noText.replaceAll(/^[^{]*(?=\{)|\}[^{]*(?=\{)|\}[^{]*$/g, (part) =>
    /system|getline|\|[^|]/.test(part.replaceAll("||", "")) ? part : "}",
  );
  const tested = noText.includes("{")
    ? actions.replaceAll(/\b(if|while)\s*\([^()]*\)/g, "")
    : noText.replaceAll(/[<>]=?/g, "");
  return AWK_DANGER.test(tested.replaceAll("||", ""));
}

function inspectAwk(call: Invocation, verdict: Verdict): Verdict {
  if (
    hasOption(call, "-f", "--file", "-i", "--include", "-l", "--load", "-E", "--exec") ||
    mayHaveOption(call, "--file", "--include", "--load", "--exec", "--source")
  )
    return unknown(verdict, "runs an awk program from a file");
  const [script, ...files] = operandWords(call);
  if (script === undefined)
    return { ...verdict, class: hasOption(call, "--version", "-V") ? "read" : "unknown" };
  if (script.text === undefined || awkIsDangerous(script.text))
    return unknown(verdict, "the awk program may write files or run programs");
  return { ...verdict, class: "read", reads: files.filter(({ prefix }) => !/^\w+=/.test(prefix)) };
}

export const awk: CliTable = {
  name: "awk",
  programs: ["awk", "gawk", "mawk", "nawk"],
  options: {
    clusters: true,
    withValue: list("-F --field-separator -v --assign -f --file -i --include -l --load -E --exec"),
  },
  otherwise: "read",
  inspect: inspectAwk,
};

const filterFiles = (call: Invocation, from: number): readonly Word[] => operandWords(call, from);

export const queries: CliTable = {
  name: "queries",
  programs: [
    "jq",
    "gojq",
    "jaq",
    "yq",
    "hcl2json",
    "dasel",
    "xmllint",
    "tomlq",
    "xq",
    "fx-cli",
    "hcledit",
  ],
  options: {
    clusters: true,
    withValue: list(
      "-f --from-file -L --indent -p -o --input-format --output-format --tab-width -I --xpath --expression",
    ),
    flags: list("-i --inplace --in-place -n --null-input -r --raw-output -c -e -s -S -a -C -M"),
  },
  otherwise: "read",
  inspect: (call, verdict) => {
    const verb = call.operands[0]?.word.text;
    const mike =
      call.program === "yq" &&
      (verb === "eval" || verb === "e" || verb === "ea" || verb === "eval-all");
    const args = call.options.filter(
      ({ name }) =>
        name === "--arg" || name === "--argjson" || name === "--slurpfile" || name === "--rawfile",
    ).length;
    const plain = call.program === "hcl2json" || call.program === "xmllint";
    const from = hasOption(call, "-f", "--from-file") || plain ? 0 : mike ? 2 : 1;
    const files = filterFiles(call, from).slice(0, undefined);
    const reads = [
      ...(args > 0 ? files.slice(args * 2 > files.length ? 0 : 0) : files),
      ...valuesOf(call, "-f", "--from-file"),
    ];
    const writes =
      call.program !== "jq" &&
      call.program !== "gojq" &&
      mayHaveOption(call, "-i", "--inplace", "--in-place");
    if (call.program === "hcledit" && mayHaveOption(call, "-u", "--update"))
      return { ...verdict, class: "write", reads, writes: valuesOf(call, "-f", "--file") };
    if (call.program === "dasel" && /^(put|delete)$/.test(verb ?? ""))
      return { ...verdict, class: "unknown" };
    if (
      call.program === "yq" &&
      /\b(load|system|eval)\s*\(/.test(call.operands[mike ? 1 : 0]?.word.text ?? "")
    )
      return { ...verdict, class: "unknown" };
    return writes ? { ...verdict, class: "write", reads, writes: files } : { ...verdict, reads };
  },
};
