// Help texts, laid out for the terminal's width. Plain: what is piped into a file or a pager reads the same.

import type { ArgDef } from "citty";
import { VERSION } from "../lib/version.ts";
import { commands } from "./all.ts";
import type { CliCommand } from "./command.ts";
import { DEFAULT_REFERENCE, ENVIRONMENT, MAIN_EXITS, REFERENCE, type Row } from "./reference.ts";
import { columnsOf, wrap } from "./width.ts";

const MAX_COLUMNS = 100;
/** Names longer than this have their meaning on the next line. */
const MAX_NAME_COLUMNS = 26;

const helpColumns = (): number => Math.min(MAX_COLUMNS, columnsOf(process.stdout));

/** Two columns under a heading; nothing where there are no rows. */
function section(heading: string, rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const widths = rows.map(([name]) => Bun.stringWidth(name));
  const column = Math.max(0, ...widths.filter((width) => width <= MAX_NAME_COLUMNS)) + 4;
  const lines = rows.flatMap(([name, meaning]) => {
    const indent = " ".repeat(column);
    const wrapped = wrap(meaning, Math.max(MAX_NAME_COLUMNS, helpColumns() - column));
    const [first = "", ...rest] = wrapped;
    const isLong = Bun.stringWidth(name) > MAX_NAME_COLUMNS;
    const head = isLong
      ? [`  ${name}`, indent + first]
      : [`  ${name.padEnd(column - 2)}${first}`.trimEnd()];
    return [...head, ...rest.map((line) => indent + line)];
  });
  return ["", heading, ...lines];
}

/** Examples are to be copied: one a line, never wrapped. */
const exampleSection = (rows: readonly Row[]): string[] =>
  rows.length === 0
    ? []
    : ["", "Examples:", ...rows.flatMap(([line, why]) => [`  # ${why}`, `  ${line}`])];

function optionRow(name: string, definition: ArgDef, isRepeatable: boolean): Row {
  const value =
    definition.type === "enum"
      ? ` ${(definition.options ?? []).join("|")}`
      : definition.type === "boolean"
        ? ""
        : ` ${definition.valueHint ?? "TEXT"}`;
  const initial = definition.type === "boolean" ? undefined : definition.default;
  const notes = [
    ...(initial === undefined ? [] : [`default ${String(initial)}`]),
    ...(isRepeatable ? ["may be given more than once"] : []),
  ];
  const after = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
  return [`--${name}${value}`, `${definition.description ?? ""}${after}`];
}

export async function commandHelp(command: CliCommand): Promise<string> {
  const { name, summary, args, details, repeatable = [] } = command;
  const all = Object.entries(args);
  const places = all.filter(([, { type }]) => type === "positional");
  const options = all.filter(([, { type }]) => type !== "positional");
  const { examples, exits, environment } = REFERENCE[name] ?? DEFAULT_REFERENCE;
  const words = places.map(([place]) => ` [${place.toUpperCase()}]`).join("");
  return [
    `iac-code ${name} – ${summary}`,
    "",
    `Usage: iac-code ${name} [OPTIONS]${words}`,
    ...(details === undefined ? [] : ["", ...wrap(details, helpColumns())]),
    ...section(
      "Arguments:",
      places.map(([place, { description }]) => [place.toUpperCase(), description ?? ""]),
    ),
    ...section("Options:", [
      ...options.map(([option, one]) => optionRow(option, one, repeatable.includes(option))),
      ["--help", "print this"],
    ]),
    ...section(
      "Environment:",
      ENVIRONMENT.filter(([variable]) => environment.includes(variable)),
    ),
    ...section("Exit codes:", exits),
    ...exampleSection(examples),
  ].join("\n");
}

export async function mainHelp(): Promise<string> {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()));
  return [
    `iac-code ${VERSION} – an AI agent for infrastructure as code, behind the Agent Client Protocol`,
    "",
    "Usage: iac-code <command> [OPTIONS]",
    ...section(
      "Commands:",
      loaded.map(({ name, summary }) => [name, summary]),
    ),
    ...section("Options:", [
      ["--version", "print the version"],
      ["--help", "print this; iac-code <command> --help tells more"],
    ]),
    ...section("Environment:", ENVIRONMENT),
    ...section("Files:", [
      ["~/.iac-code/config.json", "settings; iac-code config schema describes them"],
      [".iac-code/config.json", "a project's own: it can only make things stricter"],
    ]),
    ...section("Exit codes:", MAIN_EXITS),
    ...exampleSection([
      ['iac-code run "Review this project and offer safe fixes."', "first steps, without any key"],
      ["iac-code doctor", "what works here, and what to do where it does not"],
      ["iac-code acp", "what an editor starts"],
    ]),
    "",
  ].join("\n");
}
