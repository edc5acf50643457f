// sed, awk, jq and yq: their first operand is a program of its own, which may write or run things.

import {
  hasOption,
  type Invocation,
  mayHaveOption,
  operandWords,
  valuesOf,
} from "../invocation.ts";
import { isPlainSed } from "./sed-script.ts";
import type { CliTable, Verdict } from "./table.ts";
import { list } from "./verbs.ts";

const SECRETS = "prints secrets: the environment may hold keys";

const unknown = (verdict: Verdict, reason: string): Verdict => ({
  ...verdict,
  class: "unknown",
  reason,
});

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
  if (scripts.some(({ text }) => text === undefined || !isPlainSed(text)))
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

/**
 * True when an awk program may write a file or run a program. Strings and patterns are not told apart from code, since
 * that goes wrong in the one case that matters: a `>`, `|` or call anywhere counts, but for plain comparisons.
 */
function awkIsDangerous(script: string): boolean {
  if (/system|getline|close|fflush|@/.test(script)) return true;
  const tested = script
    .replaceAll("||", "")
    .replace(/^\s*[^{"/|]*(?=\{|$)/, "")
    .replace(/^\s*!?\/[^/"\\]*\/(?=\s*(\{|$))/, "")
    .replaceAll(/\b(if|while)\s*\(\s*\$?\w+\s*[<>]=?\s*[\d.]+\s*\)/g, "");
  return /[>|]/.test(tested);
}

const AWK_LONG = list(
  "--file --include --load --exec --source --debug --dump-variables --pretty-print --profile",
);

function inspectAwk(call: Invocation, verdict: Verdict): Verdict {
  if (
    hasOption(call, "-f", "-i", "-l", "-E", "-D", "-d", "-o", "-p", "-W") ||
    mayHaveOption(call, ...AWK_LONG)
  )
    return unknown(verdict, "an option of awk runs another program or writes a file");
  const [script, ...files] = operandWords(call);
  if (script === undefined)
    return { ...verdict, class: hasOption(call, "--version", "-V") ? "read" : "unknown" };
  if (script.text === undefined || awkIsDangerous(script.text))
    return unknown(verdict, "the awk program may write files or run programs");
  if (script?.text?.includes("ENVIRON") === true)
    return {
      ...verdict,
      class: "plan",
      warnings: [SECRETS],
    };
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

function inspectQuery(call: Invocation, verdict: Verdict): Verdict {
  const verb = call.operands[0]?.word.text;
  const hasVerb = call.program === "yq" && /^(eval|e|ea|eval-all)$/.test(verb ?? "");
  const noProgram =
    hasOption(call, "-f", "--from-file") || /^(hcl2json|xmllint)$/.test(call.program);
  const from = noProgram ? 0 : hasVerb ? 2 : 1;
  // Names and values of --arg count as files here: naming too many is harmless, naming too few is not.
  const files = operandWords(call, from);
  const reads = [...files, ...valuesOf(call, "-f", "--from-file")];
  const program = call.operands[hasVerb ? 1 : 0]?.word.text ?? "";
  if (call.program === "xmllint" && mayHaveOption(call, "--output", "--shell"))
    return unknown(verdict, "an option writes a file or starts a shell");
  if (call.program === "hcledit" && mayHaveOption(call, "-u", "--update"))
    return { ...verdict, class: "write", reads, writes: valuesOf(call, "-f", "--file") };
  if (call.program === "dasel" && /^(put|delete)$/.test(verb ?? ""))
    return unknown(verdict, "changes files");
  if (call.program === "yq" && /\b(load|system|eval)/.test(program))
    return unknown(verdict, "the program loads or runs something");
  const inPlace =
    !/jq$|^jaq$/.test(call.program) && mayHaveOption(call, "-i", "--inplace", "--in-place");
  if (inPlace) return { ...verdict, class: "write", reads, writes: files };
  if (call.program === "yq" && mayHaveOption(call, "-s", "--split-exp", "--split-exp-file"))
    return unknown(verdict, "writes a file for each part");
  if (/\$ENV\b|\benv\b|strenv|envsubst/.test(program))
    return { ...verdict, class: "plan", reads, warnings: [SECRETS] };
  return { ...verdict, reads };
}

/** jq and kin; of them yq, tomlq and xq can write in place. */
export const queries: CliTable = {
  name: "queries",
  programs: list("jq gojq jaq yq hcl2json dasel xmllint tomlq xq hcledit"),
  options: {
    clusters: true,
    withValue: list(
      "-f --from-file -L --indent -p -o --input-format --output-format --tab-width -I --xpath --expression",
    ),
    flags: list("-i --inplace --in-place -n --null-input -r --raw-output -c -e -s -S -a -C -M"),
  },
  otherwise: "read",
  inspect: inspectQuery,
};
