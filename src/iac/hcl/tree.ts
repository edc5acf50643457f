// The tree of one HCL file. Positions are exact and enough to cut any node out of the text again.

/** Offsets are UTF-16 units into the text; line and column count from 1. */
export type Span = {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
};

/**
 * The root name and the steps after it: `module.net["a"].subnets[*].id` is `module net [a] subnets [*] id`.
 * Index steps stand in brackets, so that they are no attribute names; a computed index is `[]`.
 */
export type Traversal = { readonly steps: readonly string[]; readonly span: Span };

export type Expression = {
  readonly span: Span;
  /** What it is at its top. `template` is a quoted string or heredoc with interpolation; `other` an operation, call, for or conditional. */
  readonly kind:
    | "string"
    | "number"
    | "bool"
    | "null"
    | "template"
    | "list"
    | "object"
    | "traversal"
    | "call"
    | "other";
  /** The value of a literal string, number or bool. */
  readonly value?: string | number | boolean | null;
  /** The elements of a list, or the arguments of a call. */
  readonly items?: readonly Expression[];
  readonly entries?: readonly ObjectEntry[];
  /** The function's name, for `call`; the word, for a `traversal` of one step (`string` in `type = string`). */
  readonly name?: string;
  /** Every reference anywhere inside, `for` variables excluded. */
  readonly references: readonly Traversal[];
};

export type ObjectEntry = {
  readonly key: string | undefined;
  readonly keySpan: Span;
  readonly value: Expression;
};

export type Attribute = {
  readonly type: "attribute";
  readonly name: string;
  readonly nameSpan: Span;
  readonly span: Span;
  readonly value: Expression;
};

export type Block = {
  readonly type: "block";
  /** `resource`, `variable`, … */
  readonly name: string;
  readonly nameSpan: Span;
  readonly labels: readonly string[];
  readonly labelSpans: readonly Span[];
  readonly span: Span;
  readonly body: Body;
};

export type Body = { readonly attributes: readonly Attribute[]; readonly blocks: readonly Block[] };

export type SyntaxFault = { readonly message: string; readonly span: Span };

/** Comment text without its marker, for `# iac-code:ignore`. */
export type Comment = { readonly text: string; readonly span: Span; readonly ownLine: boolean };

export type HclFile = {
  readonly body: Body;
  readonly comments: readonly Comment[];
  /** Empty exactly when `terraform fmt -` accepts the text. */
  readonly faults: readonly SyntaxFault[];
};
