// The contract of a CLI table: what one program's verbs and options mean, mostly as data. One program family a file,
// registered by one line in all.ts. How a table is applied is classify.ts's business.

import type { CommandClass, InnerCommand } from "../analysis.ts";
import type { Invocation, OptionSpec } from "../invocation.ts";
import type { Word } from "../words.ts";

/** Something else that runs because this command runs. */
export type Run =
  | {
      readonly type: "words";
      readonly words: readonly Word[];
      /** Variables set for it: `env A=1 cmd`. */
      readonly env?: readonly (readonly [name: string, value: Word])[];
      /** The folder it runs in: `env -C dir cmd`. */
      readonly directory?: Word;
      /** It runs on another machine or in a container: its paths are not ours. */
      readonly elsewhere?: boolean;
    }
  | {
      readonly type: "script";
      readonly text: string;
      /** `$0`, `$1`, … of the script. */
      readonly args?: readonly Word[];
      readonly elsewhere?: boolean;
    };

/** A named target in a file that says what runs: a Makefile, a package.json. */
export type Recipe = {
  readonly kind: "make" | "just" | "task" | "npm" | "script";
  /** Candidates, the first that exists counts; relative to where the command runs. */
  readonly files: readonly string[];
  readonly targets: readonly string[];
};

export type Verdict = {
  readonly class: CommandClass;
  /** Plain words for the question: `deletes every resource in the state`. */
  readonly reason?: string;
  readonly reads?: readonly Word[];
  readonly writes?: readonly Word[];
  /** It looks at names and sizes of what it reads, not at the content. */
  readonly namesOnly?: boolean;
  readonly warnings?: readonly string[];
  readonly runs?: readonly Run[];
  readonly recipe?: Recipe;
  /** It chooses where later commands work: production raises it although it only writes locally. */
  readonly choosesPlace?: boolean;
  /** False: nothing may be allowed always, whatever the class. */
  readonly always?: boolean;
};

export type Rule =
  | CommandClass
  | {
      readonly class: CommandClass;
      readonly reason?: string;
      readonly warning?: string;
      /** Options that give this verb another class: `{"-destroy": "destroy"}`. */
      readonly options?: Readonly<Record<string, CommandClass>>;
      /** It chooses a workspace, context or profile for later commands. */
      readonly choosesPlace?: boolean;
      /** What its operands after the verb are. */
      readonly files?: "read" | "write";
    };

/** What a table may ask about where it runs. */
export type TableContext = {
  /** Literal values a variable can have here; `undefined` in it is a value known only at run time. */
  readonly variable: (name: string) => readonly (string | undefined)[];
  /** What runs before it on the same line. */
  readonly earlier: readonly InnerCommand[];
  /** What stands on stdin, when that is literal text. */
  readonly stdin: string | undefined;
};

export type CliTable = {
  readonly name: string;
  /** Program names, without folder. */
  readonly programs: readonly string[];
  readonly options?: OptionSpec;
  /** Verbs, words joined by one space; the longest that matches counts. `""` is the program without a verb. */
  readonly verbs?: Readonly<Record<string, Rule>>;
  /** For a verb that is not in the list; default `unknown`. */
  readonly otherwise?: Rule;
  /** Options that raise write to mutate and mutate to destroy, with the reason shown: `{"--force": "overwrites …"}`. */
  readonly raises?: Readonly<Record<string, string>>;
  /** Options that make a changing verb a trial run of the given class. A value `none` or `false` does not. */
  readonly lowers?: Readonly<Record<string, CommandClass>>;
  /** Options whose value is a file that is read or written. */
  readonly fileOptions?: Readonly<Record<string, "read" | "write">>;
  /** A workspace, path, context or profile that looks like production raises; variables that choose one. */
  readonly production?: { readonly variables: readonly string[] };
  /** A variable whose words the program appends to its own: `TF_CLI_ARGS` (and `TF_CLI_ARGS_verb`). */
  readonly argsVariable?: string;
  /** What cannot be said as data. Gets what the data said and returns the verdict. */
  readonly inspect?: (call: Invocation, verdict: Verdict, context: TableContext) => Verdict;
};
