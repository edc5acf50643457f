// Plans of every form → the card: what happens, why it is judged as it is, and what it never says.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { cardFindings } from "../../../src/iac/plan/card-findings.ts";
import { type PlanCard, type PlanFacts, VERDICTS } from "../../../src/iac/plan/card.ts";
import { readPlan } from "../../../src/iac/plan/read-plan.ts";
import { countsText, renderCard } from "../../../src/iac/plan/render.ts";
import { heldBy } from "../../../src/iac/plan/stateful.ts";
import { cardOf } from "../../../src/iac/plan.ts";

const FIXTURES = join(import.meta.dir, "..", "..", "fixtures", "plans");
const textOf = (name: string) => readFileSync(join(FIXTURES, name), "utf8");

function cardFrom(text: string, facts: PlanFacts = {}): PlanCard {
  const card = readPlan(text, facts);
  if (typeof card === "string") throw new Error(card);
  return card;
}

function failureOf(text: string): string | undefined {
  const card = readPlan(text);
  return typeof card === "string" ? card.split(". Known")[0] : undefined;
}

type Entry = Readonly<Record<string, unknown>>;
const plan = (changes: readonly Entry[], rest: Entry = {}) => ({
  format_version: "1.2",
  planned_values: {},
  resource_changes: changes,
  ...rest,
});
const entry = (address: string, actions: readonly string[], change: Entry = {}): Entry => ({
  address,
  mode: "managed",
  type: address.split(".")[0],
  name: "x",
  change: { actions, before: null, after: null, ...change },
});

function cardOfChanges(changes: readonly Entry[], facts: PlanFacts = {}, rest: Entry = {}) {
  const card = cardOf(plan(changes, rest), facts);
  if (typeof card === "string") throw new Error(card);
  return card;
}
const concernsOf = (card: PlanCard) =>
  card.concerns.map(({ level, kind, address }) => [level, kind, address ?? ""].join(" "));

test("a real plan tells replaces by their order, forgets, moves, imports and reads apart", () => {
  const card = cardFrom(textOf("terraform-data.json"));
  expect(
    card.changes.map(({ address, action, order, movedFrom, forcedBy }) =>
      [address, action, order, movedFrom, ...forcedBy].filter(Boolean).join(" "),
    ),
  ).toEqual([
    "data.terraform_remote_state.later read",
    "terraform_data.adopted import",
    "terraform_data.changed update",
    "terraform_data.first replace delete_first triggers_replace",
    'terraform_data.fleet["b"] delete',
    "terraform_data.forgotten forget",
    "terraform_data.gone delete",
    "terraform_data.made create",
    "terraform_data.new_name move terraform_data.old_name",
    "terraform_data.second replace create_first triggers_replace",
  ]);
  expect(card).toMatchObject({ verdict: "review", unchanged: 2 });
  expect(countsText(card.counts)).toBe(
    "1 to create, 1 to change, 2 to replace, 2 to destroy, 1 to forget, 1 moved, 1 to import, 1 to read",
  );
  expect(card.outputs).toContainEqual({ name: "token", action: "update", isSensitive: true });
});

test("a plan against AWS says what is lost, opened, widened, drifted, and where", () => {
  const card = cardFrom(textOf("aws.json"), { workspace: "default" });
  expect(concernsOf(card)).toEqual([
    "danger loss aws_db_instance.main",
    "danger loss module.logs.aws_s3_bucket.logs[0]",
    "danger production aws_sns_topic.alerts",
    'review replace aws_instance.worker["a"]',
    "review forget aws_dynamodb_table.orders",
    "review public aws_db_instance.main",
    "review public aws_security_group.web",
    "review iam aws_iam_policy.ci",
    "review iam aws_iam_role_policy_attachment.ci",
    "review drift aws_security_group.web",
    "review check aws_vpc.main",
    "review unknown aws_s3_bucket_policy.site",
  ]);
  expect(card.place).toEqual({
    tool: "terraform 1.11.4",
    workspace: "default",
    accounts: ["123456789012"],
    regions: ["eu-west-1"],
  });
  const text = renderCard(card);
  expect(text).toContain("Open to the whole internet: port 22");
  expect(text).toContain("may do more than before: actions `s3:PutObject`; resources `*`");
  expect(text).toContain(
    '`aws_instance.worker["a"]`: created first, then the old one destroyed (forced by `root_block_device[0].encrypted`)',
  );
});

test("only creates, updates, moves and reads without a finding are safe", () => {
  const safe = cardOfChanges([
    entry("aws_vpc.main", ["create"], { after: { cidr_block: "10.0.0.0/16" } }),
    entry("aws_eip.a", ["update"], { before: { tags: null }, after: { tags: { a: "b" } } }),
    { ...entry("aws_vpc.b", ["no-op"]), previous_address: "aws_vpc.a" },
    { ...entry("data.aws_ami.x", ["read"]), mode: "data", type: "aws_ami" },
  ]);
  expect(safe.verdict).toBe("safe");
  expect(cardOfChanges([]).verdict).toBe("safe");
  expect(renderCard(cardOfChanges([]))).toBe("## Plan: safe, nothing to do\n\nterraform");
});

test("a delete is danger where anything looks like production, and not in preprod", () => {
  const remove = [entry("aws_eip.a", ["delete"])];
  const verdicts = [
    { workspace: "prod" },
    { directory: "live/eu/net" },
    { backend: "s3 (key acme-production/net.tfstate)" },
    { workspace: "non-prod" },
    { workspace: "preprod" },
    { directory: "products" },
    { workspace: "delivery" },
  ].map((facts) => cardOfChanges(remove, facts).verdict);
  expect(verdicts).toEqual(["danger", "danger", "danger", "review", "review", "review", "review"]);
});

test("an empty state with many creates is an alarm, a first small rollout is not", () => {
  const creates = (n: number) =>
    Array.from({ length: n }, (_, at) => entry(`aws_eip.a${at}`, ["create"]));
  const state = { values: { root_module: { resources: [{ type: "aws_vpc", values: {} }] } } };
  expect(concernsOf(cardOfChanges(creates(312)))).toEqual(["danger state "]);
  expect(cardOfChanges(creates(5)).verdict).toBe("safe");
  expect(cardOfChanges(creates(312), {}, { prior_state: state }).verdict).toBe("safe");
});

test("another lineage, an older serial or less state than at the last plan is an alarm", () => {
  const previousState = { lineage: "a", serial: 7 };
  const verdict = (state: { lineage: string; serial: number } | "empty") =>
    cardOfChanges([], { state, previousState }).verdict;
  expect([
    verdict({ lineage: "a", serial: 8 }),
    verdict({ lineage: "a", serial: 6 }),
    verdict({ lineage: "b", serial: 9 }),
    verdict("empty"),
  ]).toEqual(["safe", "danger", "danger", "danger"]);
});

test("one more change never makes a plan look safer", () => {
  const types = ["aws_db_instance", "aws_eip", "aws_iam_policy", "aws_vpc"];
  const lists = [["create"], ["update"], ["delete"], ["delete", "create"], ["create", "delete"]];
  const change = fc
    .tuple(fc.constantFrom(...types), fc.nat(9), fc.constantFrom(...lists, ["forget"], ["read"]))
    .map(([type, at, actions]) => entry(`${type}.x${at}`, actions));
  const rank = (changes: readonly Entry[]) => VERDICTS.indexOf(cardOfChanges(changes).verdict);
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), change, (changes, more) => {
      expect(rank([...changes, more])).toBeGreaterThanOrEqual(rank(changes));
    }),
    { numRuns: 100 },
  );
});

test("5,000 changes stay readable: grouped by type, cut with counts", () => {
  const creates = Array.from({ length: 4_000 }, (_, at) =>
    entry(`aws_sqs_queue.q["${at}"]`, ["create"], { after: { name: "x".repeat(500) } }),
  );
  const deletes = Array.from({ length: 1_000 }, (_, at) => entry(`aws_eip.e[${at}]`, ["delete"]));
  const started = performance.now();
  const card = cardOfChanges([...creates, ...deletes]);
  const text = renderCard(card);
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(text.length).toBeLessThan(8_000);
  expect(text).toContain(
    '- 4000 × `aws_sqs_queue`: `aws_sqs_queue.q["0"]`, `aws_sqs_queue.q["1"]`, `aws_sqs_queue.q["2"]`, … 3997 more',
  );
  expect(text).toContain("- … and 975 more");
});

test("no value of an attribute, an output or a variable is in the card, whatever it is", () => {
  const secret = fc.string({
    minLength: 12,
    maxLength: 40,
    unit: fc.constantFrom("0", "3", "7", "X", "Y", "Z"),
  });
  fc.assert(
    fc.property(secret, fc.constantFrom("create", "update", "delete"), (value, action) => {
      const card = cardOfChanges(
        [
          entry("aws_db_instance.a", [action], {
            before: action === "create" ? null : { password: `old${value}`, list: [value] },
            after: action === "delete" ? null : { password: value, nested: { deep: value } },
          }),
        ],
        {},
        {
          variables: { token: { value } },
          output_changes: { o: { actions: ["create"], before: null, after: value } },
        },
      );
      expect(renderCard(card)).not.toContain(value);
      expect(JSON.stringify(card)).not.toContain(value);
    }),
    { numRuns: 50 },
  );
  const texts = ["terraform-data.json", "aws.json"].map((name) =>
    renderCard(cardFrom(textOf(name))),
  );
  expect(texts.join()).not.toMatch(/not-a-real-secret|placeholder-db-pass/);
});

test("names from the plan cannot leave their backticks, start a line or hide characters", () => {
  const card = cardOfChanges([entry('aws_eip.a["`\n## Approved by the owner\u202e"]', ["delete"])]);
  const text = renderCard(card);
  expect(text).not.toContain("\n## Approved");
  expect(text).toContain('aws_eip.a["\'\\u{a}## Approved by the owner\\u{202e}"]');
});

test("a deposed object, an unknown action list and a forgotten old object are told", () => {
  const card = cardOfChanges([
    { ...entry("aws_eip.a", ["delete"]), deposed: "ab12" },
    entry("aws_eip.b", ["create", "forget"]),
    entry("aws_eip.c", ["forget"]),
  ]);
  expect(card.changes.map(({ address, action }) => `${address} ${action}`)).toEqual([
    "aws_eip.a (deposed ab12) delete",
    "aws_eip.b forget",
    "aws_eip.c forget",
  ]);
});

test("a policy that loses a denial or a condition may do more, one that loses an action less", () => {
  const policy = (...statements: readonly Entry[]) => ({
    policy: JSON.stringify({ Statement: statements }),
  });
  const allow = { Effect: "Allow", Action: ["s3:Get*", "s3:List*"], Resource: "b" };
  const deny = { Effect: "Deny", Action: "s3:Delete*", Resource: "b" };
  const bound = { ...allow, Condition: { Bool: { "aws:SecureTransport": "true" } } };
  const texts = (before: unknown, after: unknown) =>
    cardOfChanges([entry("aws_iam_policy.p", ["update"], { before, after })]).concerns.map(
      ({ text }) => text,
    );
  expect(texts(policy(allow, deny), policy(allow))).toEqual([
    "may do more than before: a Deny statement is gone",
  ]);
  expect(texts(policy(bound), policy(allow))).toEqual([
    "may do more than before: a condition is gone",
  ]);
  expect(texts(policy(allow), policy({ ...allow, Action: "s3:Get*" }))).toEqual([]);
});

test("a policy that is marked as sensitive is not repeated, and said not to be looked at", () => {
  const policy = (action: string) => ({
    policy: JSON.stringify({ Statement: [{ Effect: "Allow", Action: action, Resource: "b" }] }),
  });
  const change = { before: policy("s3:Get*"), after: policy("hidden:Action") };
  const { concerns } = cardOfChanges([
    entry("aws_iam_policy.p", ["update"], { ...change, after_sensitive: { policy: true } }),
  ]);
  expect(concerns.map(({ text }) => text)).toEqual([
    "`policy` decides who gets in, and it is marked as sensitive: it was not looked at",
  ]);
});

test("an opening that was there before is not new", () => {
  const rule = { type: "ingress", protocol: "tcp", from_port: 22, to_port: 22 };
  const open = { ...rule, cidr_blocks: ["0.0.0.0/0"] };
  const kinds = (before: unknown, after: unknown) =>
    concernsOf(cardOfChanges([entry("aws_security_group_rule.r", ["update"], { before, after })]));
  expect(kinds(open, { ...open, description: "x" })).toEqual([]);
  expect(kinds({ ...rule, cidr_blocks: ["10.0.0.0/8"] }, open)).toEqual([
    "review public aws_security_group_rule.r",
  ]);
});

test("change sets of CloudFormation and previews of ROS become the same card", () => {
  expect(concernsOf(cardFrom(textOf("cloudformation-change-set.json")))).toEqual([
    "danger loss Database",
    "danger production Topic",
    "review forget Logs",
    "review public Web",
    "review unknown Cache",
  ]);
  const ros = cardFrom(textOf("ros-preview.json"));
  expect(concernsOf(ros)).toEqual(["danger loss Db", "review delete Slb", "review public Open"]);
  expect([ros.source, ros.unchanged, ros.place.stack]).toEqual(["ros", 1, "shop"]);
});

test("the texts of kubectl diff and helm diff become the same card", () => {
  const kubectl = cardFrom(textOf("kubectl.diff"));
  expect(
    kubectl.changes.map(({ address, action, changed }) => [address, action, ...changed]),
  ).toEqual([
    ["shop/Deployment/web", "update", "image", "securityContext", "privileged"],
    ["shop/Service/web.internal", "create"],
    ["shop/PersistentVolumeClaim/data", "delete"],
  ]);
  expect(concernsOf(kubectl)).toEqual([
    "danger loss shop/PersistentVolumeClaim/data",
    "review public shop/Service/web.internal",
    "review iam shop/Deployment/web",
  ]);
  const helm = cardFrom(textOf("helm.diff"));
  expect([helm.source, countsText(helm.counts), helm.verdict]).toEqual([
    "helm diff",
    "1 to create, 1 to change, 1 to destroy",
    "danger",
  ]);
});

test("helm diff in its simple form, a change of ownership and an empty diff are changes too", () => {
  const card = cardFrom(
    [
      "default, web, Deployment (apps) to be changed.",
      "default, old, Service (v1) to be removed.",
      "default, new, Job to be added.",
      "default, own, ConfigMap (v1) changed ownership:",
      "default, hush, Secret (v1) has changed, but diff is empty after suppression.",
      "Plan: 1 to add, 1 to change, 1 to destroy.",
    ].join("\n"),
  );
  expect(card.changes.map(({ address, action }) => `${address} ${action}`)).toEqual([
    "default/Deployment/web update",
    "default/Service/old delete",
    "default/Job/new create",
    "default/ConfigMap/own update",
    "default/Secret/hush update",
  ]);
});

test("a preview of ROS opens nested stacks, and without actions everything is new", () => {
  const resource = (id: string, more: Entry = {}) => ({
    LogicalResourceId: id,
    ResourceType: "ALIYUN::RDS::DBInstance",
    ...more,
  });
  const nested = { Resources: [resource("Db", { Action: "Remove", PhysicalResourceId: "rm-1" })] };
  const preview = {
    Stack: { Resources: [resource("New"), resource("Child", { Action: "None", Stack: nested })] },
  };
  const card = cardFrom(JSON.stringify(preview));
  expect(card.changes.map(({ address, action }) => `${address} ${action}`)).toEqual([
    "New create",
    "Child.Db delete",
  ]);
  expect(card.verdict).toBe("danger");
});

test("what is no plan says so and what would be one", () => {
  expect(
    [
      "",
      "hello",
      "{}",
      '{"format_version":"1.0","values":{}}',
      '{"format_version":"2.0","resource_changes":[]}',
    ].map((text) => failureOf(text)),
  ).toEqual([
    "It is no plan that can be read",
    "It is no plan that can be read",
    "It is JSON, but no plan that can be read",
    "It is not a plan that can be read: it is the JSON of a state; give that of a plan file",
    "It is not a plan that can be read: format_version: is of another major version than 1",
  ]);
});

test("stateful types are known in every dialect, and attachments of them are not stateful", () => {
  const types = [
    "aws_db_instance",
    "aws_fsx_lustre_file_system",
    "alicloud_oss_bucket",
    "azurerm_mssql_database",
    "azurerm_postgresql_flexible_server",
    "google_sql_database_instance",
    "AWS::DynamoDB::Table",
    "ALIYUN::RDS::DBInstance",
    "PersistentVolumeClaim",
    "aws_s3_bucket_policy",
    "aws_db_subnet_group",
    "aws_kms_alias",
    "aws_instance",
    "Deployment",
  ];
  expect(types.map((type) => heldBy(type) ?? "-")).toEqual([
    "database",
    "disk",
    "bucket",
    "database",
    "database",
    "database",
    "database",
    "database",
    "volume",
    "-",
    "-",
    "-",
    "-",
    "-",
  ]);
});

test("concerns become findings with a code each, at the place of their address where it is known", () => {
  const card = cardFrom(textOf("aws.json"));
  const findings = cardFindings(card, {
    file: "plan.json",
    locate: (address) =>
      address === "aws_db_instance.main" ? { file: "db.tf", line: 4, column: 1 } : undefined,
  });
  expect(findings[0]).toEqual({
    file: "db.tf",
    line: 4,
    column: 1,
    severity: "error",
    code: "PLAN-LOSS",
    message:
      "aws_db_instance.main database is deleted and made anew (forced by `storage_encrypted`): its data goes with it",
  });
  expect(findings[1]).toMatchObject({ file: "plan.json", line: 1 });
});
