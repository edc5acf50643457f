// What a tool call wants to touch. Tools compute it from parsed arguments; permissions decide on it and on nothing else.

/** From harmless to harmful; `unknown` stands above all: what is not understood is asked about. */
export const COMMAND_CLASSES = ["read", "write", "plan", "mutate", "destroy", "unknown"] as const;
export type CommandClass = (typeof COMMAND_CLASSES)[number];

/** One command that would really run, after unwrapping. */
export type InnerCommand = {
  /** Literal words, quotes removed; a word that is known only at run time is `undefined`. */
  readonly argv: readonly (string | undefined)[];
  readonly class: CommandClass;
  /** The words that "always allow" covers: `["terraform", "validate"]`. Empty when nothing may be allowed always. */
  readonly scope: readonly string[];
  /** Why it has that class, for the question: `deletes every resource in the state`. */
  readonly reason?: string;
  /** Files it names that it would read or write, as written. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
};

export type CommandAnalysis = {
  /** The highest class of all inner commands. */
  readonly class: CommandClass;
  readonly commands: readonly InnerCommand[];
  /** What a person should know before allowing it: recipes read from a Makefile, raised flags, state files at risk. */
  readonly warnings: readonly string[];
};

export type PathAccess = {
  /** As the tool will open it, absolute. */
  readonly path: string;
  /** Real path of it, or of its deepest existing parent with the rest appended. */
  readonly realPath: string;
};

export type Access =
  /** Touches nothing outside the program. */
  | { readonly type: "none" }
  | { readonly type: "read"; readonly paths: readonly PathAccess[] }
  | { readonly type: "write"; readonly paths: readonly PathAccess[] }
  | {
      readonly type: "command";
      readonly command: string;
      readonly cwd: PathAccess;
      readonly analysis: CommandAnalysis;
    }
  | { readonly type: "fetch"; readonly url: string; readonly host: string }
  /** A sub-agent: its own calls are gated one by one. */
  | { readonly type: "agent"; readonly prompt: string }
  /** An IaC action that the program itself runs: asks by its class; `scope` is what "always" covers, if anything. */
  | {
      readonly type: "action";
      readonly class: CommandClass;
      readonly subject: string;
      readonly directory: PathAccess;
      readonly scope?: string;
    }
  | {
      readonly type: "mcp";
      readonly server: string;
      readonly tool: string;
      readonly readOnlyHint: boolean;
    };
