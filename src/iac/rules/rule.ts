// The contract of a rule: one object that says what is wrong, why, how to mend it, and proves itself by examples.
// To add a rule write one file and name it in all.ts; test and documentation follow from the object.

import type { Severity } from "../findings.ts";
import type { Span } from "../hcl/tree.ts";
import type { Module, Resource, RuleDialect } from "./engine/source.ts";

/** A replacement of `span` that is safe to offer: it changes nothing but what the rule is about. */
export type Patch = { readonly span: Span; readonly newText: string };

export type Hit = {
  /** Where to point; the resource's own place when absent. */
  readonly at?: Span;
  /** What exactly was found, when the title does not say it: becomes part of the message. */
  readonly detail?: string;
  readonly patch?: Patch;
};
type ModuleHit = Hit & { readonly resource: Resource };

export type Check =
  | {
      readonly on: "resource";
      /** Resource types as in `Resource.type`; "every" for all of them. */
      readonly types: readonly string[] | "every";
      readonly run: (resource: Resource, module: Module) => readonly Hit[];
    }
  | { readonly on: "module"; readonly run: (module: Module) => readonly ModuleHit[] };

export type ResourceCheck = Extract<Check, { on: "resource" }>;

/**
 * Contract: `failing` yields the rule's id exactly on the lines that end in `# BAD`, `passing` yields it nowhere.
 */
type Example = {
  readonly dialect: RuleDialect;
  readonly failing: string;
  readonly passing: string;
};

type RuleGroup = "AWS" | "ALI" | "AZ" | "GCP" | "K8S" | "GEN";

export type Rule = {
  readonly id: `IAC-${RuleGroup}-${string}`;
  /** What is wrong, in a few words, without a full stop. */
  readonly title: string;
  /** What can happen, in one or two sentences. */
  readonly why: string;
  /** What to do, as one imperative sentence. */
  readonly fix: string;
  readonly severity: Severity;
  readonly check: Check;
  readonly examples: readonly Example[];
};
