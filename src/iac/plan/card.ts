// What a plan comes to, whoever made it: the one shape that is rendered, judged, asked about and turned into findings.
// Holds names, counts and words of ours; values of attributes never enter it.

/** `safe` may go on, `review` wants a look, `danger` may lose data or meet the wrong state. */
export const VERDICTS = ["safe", "review", "danger"] as const;
export type Verdict = (typeof VERDICTS)[number];

type PlanSource =
  | "terraform"
  | "cloudformation"
  | "ros"
  | "helm diff"
  | "kubectl diff"
  /** Two versions of the code compared: nothing was asked of a provider, so it is not a plan. */
  | "static diff";

export const CHANGE_ACTIONS = [
  "replace",
  "delete",
  "forget",
  "update",
  "create",
  "move",
  "import",
  "read",
] as const;
export type ChangeAction = (typeof CHANGE_ACTIONS)[number];

export type PlannedChange = {
  readonly address: string;
  readonly type: string;
  /** `move` and `import` only where nothing else happens to the object. */
  readonly action: ChangeAction;
  /** Of a replace: what happens first to the old and the new object. */
  readonly order?: "delete_first" | "create_first";
  readonly movedFrom?: string;
  readonly isImported?: boolean;
  /** Attributes that force the replace, as `root_block_device[0].encrypted`. */
  readonly forcedBy: readonly string[];
  /** Top-level attributes that differ or become known only later. */
  readonly changed: readonly string[];
  /** Why the program plans it, in words. */
  readonly reason?: string;
  /** What is lost when it is deleted: `database`; absent for what holds no data. */
  readonly holds?: string;
};

export const CONCERN_KINDS = [
  "state",
  "loss",
  "production",
  "delete",
  "replace",
  "forget",
  "public",
  "iam",
  "drift",
  "check",
  "unknown",
  "error",
] as const;
type ConcernKind = (typeof CONCERN_KINDS)[number];

/** One reason for the verdict. */
export type Concern = {
  readonly kind: ConcernKind;
  readonly level: Exclude<Verdict, "safe">;
  readonly address?: string;
  /** A sentence without the address. */
  readonly text: string;
};

export type Counts = Readonly<Record<ChangeAction, number>> & { readonly drift: number };

export type PlanPlace = {
  /** The program and its version: `terraform 1.11.4`. */
  readonly tool?: string;
  readonly directory?: string;
  readonly workspace?: string;
  /** `s3 (bucket acme-state, key prod/net.tfstate)`. */
  readonly backend?: string;
  /** Of a CloudFormation or ROS change. */
  readonly stack?: string;
  /** Of Kubernetes objects. */
  readonly namespaces?: readonly string[];
  /** Accounts, subscriptions, projects. */
  readonly accounts: readonly string[];
  readonly regions: readonly string[];
};

export type OutputChange = {
  readonly name: string;
  readonly action: "create" | "update" | "delete";
  readonly isSensitive: boolean;
};

export type PlanCard = {
  readonly source: PlanSource;
  readonly verdict: Verdict;
  readonly place: PlanPlace;
  readonly counts: Counts;
  /** All but what stays as it is, in the order of the plan. */
  readonly changes: readonly PlannedChange[];
  /** Resources that stay as they are. */
  readonly unchanged: number;
  readonly outputs: readonly OutputChange[];
  readonly concerns: readonly Concern[];
  /** What a reader must know besides: a partial plan, a destroy plan, pages that are missing. */
  readonly notes: readonly string[];
};

/** What is known about the plan besides its own text. */
export type PlanFacts = {
  readonly tool?: string;
  readonly directory?: string;
  readonly workspace?: string;
  readonly backend?: string;
  readonly isDestroy?: boolean;
  readonly isRefreshOnly?: boolean;
  readonly targets?: readonly string[];
  /** The state that the plan was made against, and the one seen before it by the same session. */
  readonly state?: StateMark | "empty";
  readonly previousState?: StateMark | "empty";
};

/** Which state, and how often it was written. */
export type StateMark = { readonly lineage: string; readonly serial: number };

type CardParts = Omit<PlanCard, "verdict" | "counts"> & { readonly drift?: number };

/** Counts, sorts the concerns by weight, and gives the verdict: the heaviest of them. */
export function makeCard({ drift = 0, ...parts }: CardParts): PlanCard {
  const concerns = parts.concerns.toSorted(
    (a, b) =>
      VERDICTS.indexOf(b.level) - VERDICTS.indexOf(a.level) ||
      CONCERN_KINDS.indexOf(a.kind) - CONCERN_KINDS.indexOf(b.kind),
  );
  return {
    ...parts,
    concerns,
    verdict: concerns[0]?.level ?? "safe",
    counts: countsOf(parts.changes, drift),
  };
}

function countsOf(changes: readonly PlannedChange[], drift: number): Counts {
  const counts: Record<ChangeAction, number> = {
    replace: 0,
    delete: 0,
    forget: 0,
    update: 0,
    create: 0,
    move: 0,
    import: 0,
    read: 0,
  };
  for (const change of changes) {
    counts[change.action] += 1;
    // A move or an import that also changes the object is counted as both.
    if (change.movedFrom !== undefined && change.action !== "move") counts.move += 1;
    if (change.isImported === true && change.action !== "import") counts.import += 1;
  }
  return { ...counts, drift };
}
