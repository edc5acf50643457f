// What is known about a project: its Terraform modules with everything declared in them, and the other kinds of code.

import type { Block, HclFile, Span, Traversal } from "../hcl/tree.ts";

export type TerraformFile = {
  /** Relative to the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly hcl: HclFile;
  readonly syntax: "hcl" | "json";
  /**
   * `override` files change what others declare; `test` files and `lock` files declare nothing of the module;
   * `shadowed` is a `.tf` beside a `.tofu` of the same name.
   */
  readonly role: "module" | "override" | "test" | "lock" | "shadowed" | "other";
};

/** One thing that can be referred to. */
export type Declaration = {
  /** `var.a`, `local.b`, `aws_vpc.c`, `data.aws_ami.d`, `ephemeral.x.y`, `module.e`, `output.f`. */
  readonly address: string;
  readonly kind: "variable" | "local" | "resource" | "data" | "ephemeral" | "module" | "output";
  readonly file: string;
  /** The header or name. */
  readonly span: Span;
  /** Absent for locals. */
  readonly block?: Block;
  readonly references: readonly Traversal[];
};

export type ProviderUse = {
  readonly name: string;
  /** `hashicorp/aws`, as written. */
  readonly source?: string;
  readonly constraint?: string;
  /** From the lock file. */
  readonly locked?: string;
};

export type ModuleCall = {
  readonly name: string;
  /** As written; `undefined` when it is no literal. */
  readonly source: string | undefined;
  readonly version: string | undefined;
  /** The directory it calls, for a local source that exists. */
  readonly directory?: string;
  readonly declaration: Declaration;
};

export type TerraformModule = {
  /** `""` for the project's root. */
  readonly directory: string;
  readonly role: "root" | "child";
  /** A file of it could not be read, so it may declare more than is known. */
  readonly isPartial: boolean;
  readonly files: readonly TerraformFile[];
  readonly declarations: readonly Declaration[];
  /** The first declaration of each address. */
  readonly byAddress: ReadonlyMap<string, Declaration>;
  readonly calls: readonly ModuleCall[];
  readonly providers: readonly ProviderUse[];
  /** `s3`, `cloud`; absent: local state. */
  readonly backend?: string;
  readonly requiredVersion?: string;
  /** Of the local backend, besides `default`. */
  readonly workspaces: readonly string[];
};

export const OTHER_KINDS = [
  "ansible",
  "bicep",
  "cdk",
  "cloudformation",
  "helm",
  "kubernetes",
  "pulumi",
  "ros",
  "sam",
  "terragrunt",
] as const;
export type OtherKind = (typeof OTHER_KINDS)[number];

export type OtherFile = { readonly path: string; readonly kind: OtherKind; readonly text: string };

/** Values of variables. For checks of names and of secrets in code; what they hold is shown to nobody. */
export type VariableFile = { readonly path: string; readonly text: string; readonly hcl: HclFile };

export type ProjectIndex = {
  /** Absolute. */
  readonly root: string;
  /** By directory. */
  readonly modules: readonly TerraformModule[];
  readonly others: readonly OtherFile[];
  readonly variableFiles: readonly VariableFile[];
  /** Paths below the root that were not entered or read: what they hold is not known. */
  readonly unread: readonly string[];
  /** What was left out and why, for people. */
  readonly notices: readonly string[];
  /** The budget was used up before the tree was: what is said of the whole project may be wrong. */
  readonly isCut: boolean;
};

/** The module of exactly that directory. */
export function moduleAt(index: ProjectIndex, directory: string): TerraformModule | undefined {
  return index.modules.find((module) => module.directory === directory);
}

export function directoryOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash === -1 ? "" : path.slice(0, slash);
}
