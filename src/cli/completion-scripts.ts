// Completions → a script of bash, zsh or fish. Pure. Every text goes through the shell's own quoting.

import type { Completion, Takes } from "./completions.ts";

/** `'…'` in any of the three shells. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const words = (list: readonly string[]): string => list.join(" ");

const MAIN_FLAGS = ["--help", "--version"];

function bashTakes(takes: Takes): string | undefined {
  switch (takes.type) {
    case "nothing":
      return undefined;
    case "text":
      return "return";
    case "files":
      return 'COMPREPLY=($(compgen -f -- "$word")); return';
    case "folders":
      return 'COMPREPLY=($(compgen -d -- "$word")); return';
    case "words":
      return `COMPREPLY=($(compgen -W ${quote(words(takes.words))} -- "$word")); return`;
  }
}

export function toBash(list: readonly Completion[]): string {
  const values = list.flatMap(({ name, options }) =>
    options.flatMap(({ flag, takes }) => {
      const reply = bashTakes(takes);
      return reply === undefined ? [] : [`    ${name}:${flag}) ${reply} ;;`];
    }),
  );
  const choices = list.map(({ name, options, words: first }) => {
    const all = [...first, ...options.map(({ flag }) => flag)];
    return `    ${name}) choices=${quote(words(all))} ;;`;
  });
  const commands = words([...list.map(({ name }) => name), ...MAIN_FLAGS]);
  return `${[
    "# iac-code completions for bash.",
    "_iac_code() {",
    '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command="${COMP_WORDS[1]}" choices=',
    "  COMPREPLY=()",
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W ${quote(commands)} -- "$word")); return`,
    "  fi",
    '  case "$command:$before" in',
    ...values,
    "  esac",
    '  case "$command" in',
    ...choices,
    "  esac",
    '  COMPREPLY=($(compgen -W "$choices" -- "$word"))',
    "}",
    "complete -o default -F _iac_code iac-code",
  ].join("\n")}\n`;
}

/** In a zsh specification colons and brackets part the fields. */
const zshText = (text: string): string => text.replaceAll(/[[\]:\\]/g, "\\$&");

function zshTakes(takes: Takes): string {
  switch (takes.type) {
    case "nothing":
      return "";
    case "text":
      return ":value: ";
    case "files":
      return ":file:_files";
    case "folders":
      return ":folder:_files -/";
    case "words":
      return `:value:(${words(takes.words)})`;
  }
}

export function toZsh(list: readonly Completion[]): string {
  const commands = list.map(
    ({ name, help }) => `    ${quote(`${zshText(name)}:${zshText(help)}`)}`,
  );
  const cases = list.flatMap(({ name, options, words: first }) => [
    `    ${name})`,
    "      _arguments \\",
    ...options.map(
      ({ flag, help, takes }) =>
        `        ${quote(`${flag}[${zshText(help)}]${zshTakes(takes)}`)} \\`,
    ),
    `        ${quote(first.length === 0 ? "*::argument:_default" : `1:argument:(${words(first)})`)}`,
    "      ;;",
  ]);
  return `${[
    "#compdef iac-code",
    "# iac-code completions for zsh.",
    "_iac_code() {",
    "  local -a commands=(",
    ...commands,
    "  )",
    "  if (( CURRENT == 2 )); then",
    `    _describe command commands; compadd -- ${words(MAIN_FLAGS)}`,
    "    return",
    "  fi",
    '  local command="${words[2]}"',
    "  shift words; (( CURRENT-- ))",
    '  case "$command" in',
    ...cases,
    "  esac",
    "}",
    'if [ "$funcstack[1]" = _iac_code ]; then _iac_code "$@"; else compdef _iac_code iac-code; fi',
  ].join("\n")}\n`;
}

/** Fish's own quoting: a backslash before a quote inside quotes. */
const fishQuote = (text: string): string => `'${text.replaceAll(/['\\]/g, "\\$&")}'`;

function fishTakes(takes: Takes): string {
  switch (takes.type) {
    case "nothing":
      return "";
    case "text":
      return " -x";
    case "files":
      return " -r";
    case "folders":
      return " -x -a '(__fish_complete_directories)'";
    case "words":
      return ` -x -a ${fishQuote(words(takes.words))}`;
  }
}

export function toFish(list: readonly Completion[]): string {
  const lines = list.flatMap(({ name, help, options, words: first }) => {
    const seen = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c iac-code -n __fish_use_subcommand -f -a ${name} -d ${fishQuote(help)}`,
      ...(first.length === 0
        ? []
        : [`complete -c iac-code ${seen} -f -a ${fishQuote(words(first))}`]),
      ...options.map(
        ({ flag, help: meaning, takes }) =>
          `complete -c iac-code ${seen} -l ${flag.slice(2)}${fishTakes(takes)} -d ${fishQuote(meaning)}`,
      ),
    ];
  });
  return `# iac-code completions for fish.\n${lines.join("\n")}\ncomplete -c iac-code -n __fish_use_subcommand -l version -d 'print the version'\n`;
}
