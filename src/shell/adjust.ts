// What options and places do to a class: trial runs lower it, flags that skip safety and production raise it.

import { type CommandClass, rankOf } from "./analysis.ts";
import { type Invocation, mayHaveOption, type Option } from "./invocation.ts";
import { looksLikeProduction } from "./paths.ts";
import type { CliTable, TableContext } from "./tables/table.ts";

/** Reads and plans stay what they are: they change nothing, whatever the flag. */
const STEP_UP: Readonly<Partial<Record<CommandClass, CommandClass>>> = {
  write: "mutate",
  mutate: "destroy",
};
const OFF = /^(none|false|0|no)$/i;

/** True for classes that a flag can raise. */
export const canRise = (from: CommandClass): boolean => STEP_UP[from] !== undefined;
/** `--dry-run=none`: the option is there and switched off. */
export const isLiterallyOff = ({ value }: Option): boolean =>
  value?.text !== undefined && OFF.test(value.text);

/** True when the options are certainly given and on: none of them can be the value of an unknown option before it. */
export function isSure(call: Invocation, given: readonly Option[]): boolean {
  if (call.dynamic) return false;
  return given.every(
    (option) =>
      (option.value === undefined ||
        (option.value.text !== undefined && !OFF.test(option.value.text))) &&
      call.options.every(({ at, listed }) => at !== option.at - 1 || listed),
  );
}

function lowered(table: CliTable, call: Invocation, from: CommandClass): CommandClass {
  let result = from;
  for (const [name, to] of Object.entries(table.lowers ?? {})) {
    const given = call.options.filter((option) => option.name === name);
    if (
      given.length > 0 &&
      isSure(call, given) &&
      rankOf(to) < rankOf(result) &&
      result !== "unknown"
    )
      result = to;
  }
  return result;
}

/** True when `option` may be the raising flag `flag` (`--force`, `-lock=false`). */
function raises(call: Invocation, option: Option, flag: string): boolean {
  const [name = flag, wanted] = flag.split("=");
  if (!mayHaveOption({ ...call, options: [option] }, name)) return false;
  if (wanted === undefined) return !isLiterallyOff(option);
  return option.value?.text === undefined || option.value.text === wanted;
}

type Place = {
  readonly context: TableContext;
  /** Folders and names of profiles around the command. */
  readonly folders: readonly string[];
  /** Flags that the verb's own rule has judged already. */
  readonly decided: readonly string[];
  /** The command chooses where later ones work. */
  readonly chosen: boolean;
};

function productionName(
  table: CliTable,
  call: Invocation,
  { context, folders }: Place,
): string | undefined {
  if (table.production === undefined) return undefined;
  const given = call.words.map((word) => word.text ?? word.prefix);
  const chosen = table.production.variables.flatMap((name) => context.variable(name));
  return [...given, ...chosen, ...folders].find(
    (text) => text !== undefined && looksLikeProduction(text),
  );
}

export type Adjusted = {
  readonly class: CommandClass;
  readonly warnings: readonly string[];
  readonly raised: boolean;
};

/** The class after trial runs, raising flags and production-looking places. */
export function adjust(
  table: CliTable,
  call: Invocation,
  from: CommandClass,
  place: Place,
): Adjusted {
  const low = lowered(table, call, from);
  const flags = Object.entries(table.raises ?? {}).filter(
    ([flag]) =>
      !place.decided.includes(flag) && call.options.some((option) => raises(call, option, flag)),
  );
  const byFlags = flags.length > 0 ? (STEP_UP[low] ?? low) : low;
  const production = productionName(table, call, place);
  const raised =
    byFlags === "mutate" || (place.chosen && byFlags === "write")
      ? (STEP_UP[byFlags] ?? byFlags)
      : byFlags;
  const isUnsure = place.chosen && call.dynamic;
  const found = production !== undefined || isUnsure ? raised : byFlags;
  const shown = STEP_UP[low] === undefined && rankOf(low) < rankOf("destroy") ? [] : flags;
  const warnings = shown.map(([flag, why]) => `${flag} ${why}`);
  if (production !== undefined && rankOf(found) >= rankOf("plan"))
    warnings.push(`looks like production: ${production}`);
  return { class: found, warnings, raised: found !== low };
}
