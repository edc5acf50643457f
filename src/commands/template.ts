// `$ARGUMENTS`, `$1` … `$9` in a command's text. Text in, text out: nothing is run and nothing is read. Pure.

const PLACEHOLDER = /\$(ARGUMENTS|[1-9])(?![0-9A-Za-z_])/g;
const WORD = /"([^"]*)"|'([^']*)'|(\S+)/g;

/** Words at blanks; quotes keep blanks inside. */
export function splitWords(text: string): string[] {
  return [...text.matchAll(WORD)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
}

/**
 * Puts the arguments in place, once: what they hold is not looked at again. A text without a place for them gets them
 * at its end, so that nothing that was typed is lost.
 */
export function fillTemplate(template: string, args: string): string {
  const words = splitWords(args);
  let isUsed = false;
  const filled = template.replaceAll(PLACEHOLDER, (_, name: string) => {
    isUsed = true;
    return name === "ARGUMENTS" ? args : (words[Number(name) - 1] ?? "");
  });
  return isUsed || args === "" ? filled : `${filled}\n\nArguments: ${args}`;
}
