// The JSON of `terraform show -json PLAN`, as far as it is read here. Unknown members are ignored, missing ones have
// defaults, so that later minor versions of the format and OpenTofu's are read too.
// https://developer.hashicorp.com/terraform/internals/json-format

import { z } from "zod";

/** Major version of the format that is understood. */
const FORMAT_MAJOR = "1";

const step = z.union([z.string(), z.number()]);
const importing = z.looseObject({}).nullish();

const change = z.object({
  actions: z.array(z.string()),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  after_unknown: z.unknown().optional(),
  before_sensitive: z.unknown().optional(),
  after_sensitive: z.unknown().optional(),
  replace_paths: z.array(z.array(step)).nullish(),
  importing,
});

const resourceChange = z.object({
  address: z.string(),
  previous_address: z.string().nullish(),
  mode: z.string().default("managed"),
  type: z.string(),
  name: z.string().default(""),
  deposed: z.string().nullish(),
  action_reason: z.string().nullish(),
  change,
});

const checkResult = z.object({
  address: z.object({ to_display: z.string() }),
  status: z.string(),
  instances: z
    .array(
      z.object({
        status: z.string(),
        problems: z.array(z.object({ message: z.string() })).nullish(),
      }),
    )
    .nullish(),
});

type StateModule = {
  readonly resources?: readonly StateResource[] | null | undefined;
  readonly child_modules?: readonly StateModule[] | null | undefined;
};
const stateResource = z.object({
  mode: z.string().default("managed"),
  type: z.string(),
  values: z.unknown().optional(),
});
type StateResource = z.infer<typeof stateResource>;
const stateModule: z.ZodType<StateModule> = z.object({
  resources: z.array(stateResource).nullish(),
  child_modules: z.lazy(() => z.array(stateModule)).nullish(),
});

const planJson = z.object({
  format_version: z.string().refine((version) => version.split(".")[0] === FORMAT_MAJOR, {
    message: `is of another major version than ${FORMAT_MAJOR}`,
  }),
  terraform_version: z.string().optional(),
  variables: z.record(z.string(), z.object({ value: z.unknown().optional() })).nullish(),
  resource_changes: z.array(resourceChange).nullish(),
  resource_drift: z.array(resourceChange).nullish(),
  output_changes: z.record(z.string(), change).nullish(),
  prior_state: z
    .object({ values: z.object({ root_module: stateModule.optional() }).nullish() })
    .nullish(),
  configuration: z
    .object({
      provider_config: z
        .record(z.string(), z.object({ expressions: z.record(z.string(), z.unknown()).nullish() }))
        .nullish(),
      root_module: z
        .object({
          variables: z.record(z.string(), z.object({ sensitive: z.boolean().nullish() })).nullish(),
        })
        .nullish(),
    })
    .nullish(),
  checks: z.array(checkResult).nullish(),
  errored: z.boolean().nullish(),
  complete: z.boolean().nullish(),
});

export type PlanJson = z.infer<typeof planJson>;
export type ResourceChange = z.infer<typeof resourceChange>;
export type Change = z.infer<typeof change>;

/** A string says why `json` is no plan of this format. */
export function readPlanJson(json: unknown): PlanJson | string {
  const parsed = planJson.safeParse(json);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  return `${first?.path.join(".") || "the document"}: ${first?.message ?? "is not understood"}`;
}

/** Every resource of the state that the plan was made against. */
export function* stateResources(plan: PlanJson): Generator<StateResource> {
  yield* resourcesIn(plan.prior_state?.values?.root_module);
}

function* resourcesIn(module: StateModule | undefined): Generator<StateResource> {
  for (const resource of module?.resources ?? []) yield resource;
  for (const child of module?.child_modules ?? []) yield* resourcesIn(child);
}
