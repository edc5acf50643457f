// What an analysis says. The shapes are those of the conversation room's access contract (rooms of one rank are blind
// to one another); test/shell/analyze.test.ts holds the two together. No logic beyond comparing classes lives here.

/** From harmless to harmful; `unknown` stands above all: what is not understood is asked about. */
export const COMMAND_CLASSES = ["read", "write", "plan", "mutate", "destroy", "unknown"] as const;
export type CommandClass = (typeof COMMAND_CLASSES)[number];

/** One command that would really run, after unwrapping. */
export type InnerCommand = {
  /**
   * Literal words, quotes removed; a word known only at run time is `undefined`. Normalised so that a token prefix
   * means something: the program without its folder, then the verb, then everything else in its order
   * (`/usr/bin/terraform -chdir=x destroy` is `terraform destroy -chdir=x`). Empty for a redirection on its own.
   */
  readonly argv: readonly (string | undefined)[];
  readonly class: CommandClass;
  /** What "always allow" covers, as a prefix of `argv`. Empty when nothing may be allowed always. */
  readonly scope: readonly string[];
  /** Why it has that class, in plain words. */
  readonly reason?: string;
  /** Files it names that it reads or writes, as written, after a `cd` of the same line relative to where the line starts. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
};

export type CommandAnalysis = {
  /** The highest class of all inner commands; `read` when nothing runs. */
  readonly class: CommandClass;
  readonly commands: readonly InnerCommand[];
  /** What a person should know before allowing it. */
  readonly warnings: readonly string[];
};

/** Where a class stands in `COMMAND_CLASSES`: 0 is harmless. */
export const rankOf = (commandClass: CommandClass): number => COMMAND_CLASSES.indexOf(commandClass);

/** The more harmful of two classes. */
export function worse(a: CommandClass, b: CommandClass): CommandClass {
  return rankOf(a) >= rankOf(b) ? a : b;
}
