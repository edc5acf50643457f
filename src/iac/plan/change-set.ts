// Change sets of CloudFormation (describe-change-set) and ROS (GetChangeSet, PreviewStack) → a card.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ResourceChange.html
// https://www.alibabacloud.com/help/en/ros/developer-reference/api-ros-2019-09-10-previewstack

import { z } from "zod";
import { isRecord, parseJson } from "../../lib/json.ts";
import { type Concern, makeCard, type PlanCard, type PlannedChange } from "./card.ts";
import { exposureOf, versionsOf } from "./exposure.ts";
import { changeConcerns } from "./judge.ts";
import { looksLikeProduction } from "./place.ts";
import { heldBy } from "./stateful.ts";

const target = z.object({
  Attribute: z.string().nullish(),
  Name: z.string().nullish(),
  RequiresRecreation: z.string().nullish(),
});

const resource = z.object({
  LogicalResourceId: z.string(),
  ResourceType: z.string(),
  Action: z.string().nullish(),
  Replacement: z.union([z.string(), z.boolean()]).nullish(),
  PolicyAction: z.string().nullish(),
  Details: z.array(z.object({ Target: target.nullish() })).nullish(),
  /** JSON texts of the object before and after. */
  BeforeContext: z.string().nullish(),
  AfterContext: z.string().nullish(),
  PhysicalResourceId: z.string().nullish(),
  /** Of a ROS preview. */
  Properties: z.unknown().optional(),
});
type TemplateChange = z.infer<typeof resource>;

type Previewed = TemplateChange & {
  /** What a nested stack would become. */
  readonly Stack?: { readonly Resources?: readonly Previewed[] | undefined } | null | undefined;
};
const previewed: z.ZodType<Previewed> = resource.extend({
  Stack: z.lazy(() => z.object({ Resources: z.array(previewed).optional() })).nullish(),
});

const changeSet = z.object({
  StackName: z.string().nullish(),
  StackId: z.string().nullish(),
  ChangeSetName: z.string().nullish(),
  RegionId: z.string().nullish(),
  Status: z.string().nullish(),
  StatusReason: z.string().nullish(),
  NextToken: z.string().nullish(),
  Changes: z.array(z.object({ Type: z.string().nullish(), ResourceChange: resource.nullish() })),
});

const preview = z.object({
  Stack: z.object({
    StackName: z.string().nullish(),
    RegionId: z.string().nullish(),
    Resources: z.array(previewed),
  }),
});

/** A string says why `json` is no change set. */
export function changeSetCard(json: unknown): PlanCard | string {
  const parsed = changeSet.safeParse(json);
  if (!parsed.success) return faultOf(parsed.error);
  const { Changes, NextToken, Status, StatusReason, ...named } = parsed.data;
  const resources = Changes.flatMap(({ ResourceChange }) => ResourceChange ?? []);
  const notes = [
    ...(typeof NextToken === "string"
      ? ["Only one page of the change set is here (NextToken is set): ask for the rest."]
      : []),
    ...(Status === "FAILED"
      ? [`The change set has failed: ${StatusReason ?? "no reason is given"}.`]
      : []),
  ];
  const [, region, account] =
    /^arn:[\w-]+:cloudformation:([\w-]+):(\d+):/.exec(named.StackId ?? "") ?? [];
  return templateCard(resources, {
    stack: named.StackName ?? undefined,
    region: region ?? named.RegionId ?? undefined,
    account,
    notes,
  });
}

/** A string says why `json` is no preview. */
export function rosPreviewCard(json: unknown): PlanCard | string {
  const parsed = preview.safeParse(json);
  if (!parsed.success) return faultOf(parsed.error);
  const { StackName, RegionId, Resources } = parsed.data.Stack;
  return templateCard([...withNested(Resources)], {
    stack: StackName ?? undefined,
    region: RegionId ?? undefined,
    account: undefined,
    notes: [],
  });
}

/** Nested stacks opened; what is inside one is named below it. */
function* withNested(resources: readonly Previewed[], path = ""): Generator<TemplateChange> {
  for (const { Stack, ...each } of resources) {
    const LogicalResourceId = path + each.LogicalResourceId;
    yield { ...each, LogicalResourceId };
    if (Stack?.Resources) yield* withNested(Stack.Resources, `${LogicalResourceId}.`);
  }
}

function faultOf(error: z.ZodError): string {
  const [first] = error.issues;
  return `${first?.path.join(".") || "the document"}: ${first?.message ?? "is not understood"}`;
}

type Named = {
  readonly stack: string | undefined;
  readonly region: string | undefined;
  readonly account: string | undefined;
  readonly notes: readonly string[];
};

function templateCard(
  resources: readonly TemplateChange[],
  { stack, region, account, notes }: Named,
): PlanCard {
  const planned = resources.map((each) => [each, toChange(each)] as const);
  const changes = planned.flatMap(([, change]) => change ?? []);
  const production =
    stack !== undefined && looksLikeProduction(stack) ? `the stack (\`${stack}\`)` : undefined;
  const isRos = resources.some(({ ResourceType }) => ResourceType.startsWith("ALIYUN::"));
  return makeCard({
    source: isRos ? "ros" : "cloudformation",
    place: {
      accounts: account === undefined ? [] : [account],
      regions: region === undefined ? [] : [region],
      ...(stack === undefined ? {} : { stack }),
    },
    changes,
    unchanged: planned.length - changes.length,
    outputs: [],
    concerns: [
      ...changeConcerns(changes, production),
      ...resources.flatMap(conditional),
      ...resources.flatMap(exposed),
    ],
    notes,
  });
}

const ACTIONS: Readonly<Record<string, PlannedChange["action"]>> = {
  Add: "create",
  Modify: "update",
  Remove: "delete",
  Import: "import",
};

function toChange(each: TemplateChange): PlannedChange | undefined {
  const { LogicalResourceId, ResourceType, PolicyAction, Action } = each;
  if (Action === "None" || Action === "NoChange") return undefined;
  const isReplaced = isTrue(each.Replacement) && Action !== "Remove" && Action !== "Add";
  const isKept = /Retain/.test(PolicyAction ?? "") && (isReplaced || Action === "Remove");
  const targets = (each.Details ?? []).flatMap(({ Target }) => Target ?? []);
  const names = (only: (recreation: string) => boolean) => [
    ...new Set(
      targets
        .filter(({ RequiresRecreation }) => only(RequiresRecreation ?? ""))
        .flatMap(({ Name, Attribute }) => Name ?? Attribute ?? []),
    ),
  ];
  // A dynamic change is an update that depends on another resource's outcome.
  // The preview of a stack that does not exist yet may leave the action out.
  const isNew = typeof Action !== "string" && typeof each.PhysicalResourceId !== "string";
  const plain = isNew ? "create" : (ACTIONS[Action ?? ""] ?? "update");
  const action = isKept ? "forget" : isReplaced ? "replace" : plain;
  const holds = heldBy(ResourceType);
  return {
    address: LogicalResourceId,
    type: ResourceType,
    action,
    ...(action === "replace" ? { order: "create_first" as const } : {}),
    forcedBy: action === "replace" ? names((recreation) => recreation === "Always") : [],
    changed: action === "update" || action === "replace" ? names(() => true) : [],
    ...(/Snapshot/.test(PolicyAction ?? "") ? { reason: "a snapshot is kept" } : {}),
    ...(holds === undefined ? {} : { holds }),
  };
}

const isTrue = (replacement: TemplateChange["Replacement"]): boolean =>
  replacement === true || replacement === "True";

function conditional({ LogicalResourceId, ResourceType, Replacement }: TemplateChange): Concern[] {
  if (Replacement !== "Conditional") return [];
  const holds = heldBy(ResourceType);
  const data = holds === undefined ? "" : `; its data (${holds}) would be lost`;
  const text = `may be replaced: only the run decides${data}`;
  return [{ kind: "unknown", level: "review", address: LogicalResourceId, text }];
}

function exposed(each: TemplateChange): Concern[] {
  if (each.Action === "Remove") return [];
  const before = propertiesIn(each.BeforeContext);
  // A preview has the properties as they will be; those before are not told, so only an addition is new for sure.
  const after =
    propertiesIn(each.AfterContext) ?? (each.Action === "Add" ? each.Properties : undefined);
  return exposureOf(
    versionsOf(each.ResourceType, each.LogicalResourceId, {
      before: { json: before },
      after: { json: after },
    }),
  );
}

function propertiesIn(context: string | null | undefined): unknown {
  if (typeof context !== "string") return undefined;
  const parsed = parseJson(context);
  return isRecord(parsed) ? (parsed["Properties"] ?? parsed) : undefined;
}
