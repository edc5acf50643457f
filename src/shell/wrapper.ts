// Programs that run another program, as data: which options they take and where the inner command starts.

import type { OptionSpec } from "./invocation.ts";

export type Wrapper = {
  readonly programs: readonly string[];
  readonly options?: OptionSpec;
  /** Words before the options: `exec` of `aws-vault exec`. The wrapper applies only when they match. */
  readonly verb?: readonly string[];
  /** Operands before the inner command: the profile, the number of seconds. */
  readonly skip?: number;
  /** The inner command stands after `--`; operands before it are the wrapper's own. */
  readonly dashes?: boolean;
  /** `NAME=value` words before the command are variables. */
  readonly assignments?: boolean;
  /** Options whose value is a script of its own: `--command`, `-c`. */
  readonly scripts?: readonly string[];
  /** The operands are joined and run by a shell. */
  readonly joined?: boolean;
  /** Options that name the folder it runs in. */
  readonly directory?: readonly string[];
  /** Downloads or loads code of its own, so it is never less than write. */
  readonly downloads?: boolean;
  /** Gives other rights; shown as a command of its own, so that rules about it hold. */
  readonly privileged?: boolean;
};
