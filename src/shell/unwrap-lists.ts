// xargs and GNU parallel: a command template and where its arguments come from.

import type { CommandClass } from "./analysis.ts";
import { readInvocation, valuesOf } from "./invocation.ts";
import type { Run } from "./tables/table.ts";
import { DYNAMIC, literal, type Word } from "./words.ts";

type Unwrapped = {
  readonly runs: readonly Run[];
  readonly floor?: CommandClass;
  readonly reason?: string;
};
type Input = { readonly type: string; readonly paths?: readonly string[] };
const unknown = (reason: string): Unwrapped => ({ runs: [], floor: "unknown", reason });

const XARGS = {
  withValue:
    "-a --arg-file -d --delimiter -E -I -L --max-lines -n --max-args -P --max-procs -s --max-chars --replace --process-slot-var".split(
      " ",
    ),
  flags:
    "-0 --null -o --open-tty -p --interactive -r --no-run-if-empty -t --verbose -x --exit -i".split(
      " ",
    ),
  clusters: true,
  stopAtOperand: true,
};

/** The words with each that holds the mark made a run-time word that keeps its literal head. */
function fill(words: readonly Word[], mark: string): readonly Word[] {
  return words.map((word) => {
    const at = word.text?.indexOf(mark) ?? -1;
    return at < 0 ? word : { text: undefined, prefix: word.prefix.slice(0, at) };
  });
}

/** `xargs CMD …`: CMD with whatever stands on stdin. Without a literal verb that is unknown (by CMD's own table). */
export function unwrapXargs(words: readonly Word[], stdin: Input): Unwrapped {
  const call = readInvocation("xargs", words, XARGS);
  if (call.options.some((option) => !option.listed))
    return unknown("xargs has an option that is not known here");
  const mark =
    valuesOf(call, "-I", "--replace").at(-1)?.text ??
    (call.options.some(({ name }) => name === "-i") ? "{}" : undefined);
  const inner = call.operands.map(({ word }) => word);
  if (inner.length === 0) return { runs: [], floor: "read" };
  const fed = call.options.some(({ name }) => name === "-a" || name === "--arg-file")
    ? undefined
    : stdin.paths;
  if (mark !== undefined) {
    // A shell script with the mark inside is put together at run time.
    const filled =
      fed === undefined
        ? [fill(inner, mark)]
        : fed.map((path) =>
            inner.map((word) =>
              word.text === undefined ? word : literal(word.text.replaceAll(mark, () => path)),
            ),
          );
    return { runs: filled.map((list): Run => ({ type: "words", words: list })) };
  }
  return { runs: [{ type: "words", words: [...inner, ...(fed?.map(literal) ?? [DYNAMIC])] }] };
}

const PARALLEL = {
  withValue:
    "-j --jobs -a --arg-file -I -n --max-args -N -L -S --sshlogin --joblog --results --delay --timeout --retries -C --colsep -d --delimiter --tmpdir --load --memfree --halt".split(
      " ",
    ),
  flags:
    "-k --keep-order -0 --null --dry-run -t --verbose --bar --progress --eta -v --line-buffer --lb -u --ungroup -q --quote --will-cite --no-notice -X -m -r".split(
      " ",
    ),
  stopAtOperand: true,
};
const SOURCES = /^(:::|::::)\+?$/;

/** `parallel CMD ::: a b`: CMD for each argument, through a shell. Without `:::` the arguments come from stdin. */
export function unwrapParallel(words: readonly Word[]): Unwrapped {
  const call = readInvocation("parallel", words, PARALLEL);
  if (call.options.some((option) => !option.listed))
    return unknown("parallel has an option that is not known here");
  const rest = call.operands.map(({ word }) => word);
  const border = rest.findIndex((word) => word.text !== undefined && SOURCES.test(word.text));
  const template = border < 0 ? rest : rest.slice(0, border);
  const given = border < 0 ? [] : rest.slice(border);
  const args = given.filter((word) => word.text === undefined || !SOURCES.test(word.text));
  const literalArgs =
    args.every((word) => word.text !== undefined) &&
    !given.some((word) => word.text?.startsWith("::::") === true);
  if (template.some((word) => word.text === undefined))
    return unknown("parallel runs words known only at run time");
  const text = template.map((word) => word.text).join(" ");
  if (border >= 0 && literalArgs && given.filter((word) => word.text === ":::").length === 1) {
    const scripts = args.map((word) =>
      text.includes("{}")
        ? text.replaceAll("{}", () => word.text ?? "")
        : `${text} ${word.text ?? ""}`,
    );
    return { runs: scripts.map((script): Run => ({ type: "script", text: script })) };
  }
  if (text === "" || /[;&|<>$`(){}]/.test(text.replaceAll("{}", "")))
    return unknown("parallel builds its commands at run time");
  const filled = fill(template, "{}");
  return { runs: [{ type: "words", words: text.includes("{}") ? filled : [...filled, DYNAMIC] }] };
}
