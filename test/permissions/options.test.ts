import { expect, test } from "bun:test";
import type { Question } from "../../src/permissions/policy.ts";
import { grantsFrom, optionsFor, readAnswer } from "../../src/permissions/options.ts";
import { decide } from "../../src/permissions/policy.ts";
import { context, decideLine, fileCall, inner } from "./calls.ts";

function question(decision: ReturnType<typeof decide>): Question {
  if (decision.decision !== "ask") throw new Error(`Expected a question, got ${decision.decision}`);
  return decision;
}
const names = (one: Question) => optionsFor(one).map(({ optionId, name }) => [optionId, name]);
const answerAlways = (one: Question, id: "allow_always" | "reject_always") =>
  grantsFrom(one, readAnswer({ outcome: { outcome: "selected", optionId: id } }, optionsFor(one)));

test("the options of a command name the exact scope, in order", async () => {
  const asked = question(
    await decideLine([inner("terraform validate", "plan"), inner("ls", "read")]),
  );
  expect(names(asked)).toEqual([
    ["allow_once", "Allow once"],
    ["allow_always", "Always allow `terraform validate` in this session"],
    ["reject_once", "Reject"],
    ["reject_always", "Always reject `terraform validate` in this session"],
  ]);
  expect(optionsFor(asked).every(({ optionId, kind }) => optionId === kind)).toBe(true);
});

test("the options of an edit name the directory", () => {
  const asked = question(decide(fileCall("edit_file", "/app/modules/net/main.tf"), context()));
  expect(names(asked)[1]).toEqual([
    "allow_always",
    "Always allow edits in modules/net/ in this session",
  ]);
  const root = question(decide(fileCall("edit_file", "/app/main.tf"), context()));
  expect(names(root)[1]).toEqual(["allow_always", "Always allow edits in app/ in this session"]);
});

test("destroy, unknown, apply, outside and secret questions offer no allow_always", async () => {
  const asked = [
    await decideLine([inner("terraform destroy", "destroy")]),
    await decideLine([inner("terraform plan", "plan"), inner("terraform destroy", "destroy")]),
    await decideLine([inner("make x", "unknown")]),
    await decideLine([inner("terraform apply", "mutate")]),
    await decideLine([inner("tofu import a b", "mutate")]),
    decide(fileCall("read_file", "/app/.env"), context()),
    decide(fileCall("write_file", "/tmp/x"), context()),
  ];
  for (const one of asked)
    expect(optionsFor(question(one)).map(({ kind }) => kind)).toEqual([
      "allow_once",
      "reject_once",
      "reject_always",
    ]);
  expect(names(question(asked[0] ?? fail())).at(-1)?.[1]).toBe(
    "Always reject `terraform destroy` in this session",
  );
});
const fail = (): never => {
  throw new Error("No decision");
};

test("readAnswer takes both dialects and the meaning from the option's kind", async () => {
  const offered = optionsFor(question(await decideLine([inner("terraform plan", "plan")])));
  const nested = (optionId: unknown) => ({ outcome: { outcome: "selected", optionId } });
  const table: [unknown, unknown][] = [
    [nested("allow_once"), { outcome: "allowed", optionId: "allow_once" }],
    [nested("allow_always"), { outcome: "allowed", optionId: "allow_always", remember: "allow" }],
    [nested("reject_once"), { outcome: "denied", optionId: "reject_once" }],
    [nested("reject_always"), { outcome: "denied", optionId: "reject_always", remember: "reject" }],
    [{ outcome: { outcome: "cancelled" } }, { outcome: "cancelled" }],
    [{ outcome: "cancelled" }, { outcome: "cancelled" }],
    [{ outcome: "allowed" }, { outcome: "allowed", optionId: "allow_once" }],
    [
      { outcome: "allowed", option_id: "allow_always" },
      { outcome: "allowed", optionId: "allow_always", remember: "allow" },
    ],
    [
      { outcome: "allowed", optionId: "allow_once" },
      { outcome: "allowed", optionId: "allow_once" },
    ],
    [
      { outcome: "allowed", option_id: "reject_once" },
      { outcome: "denied", optionId: "reject_once" },
    ],
    [{ outcome: "denied" }, { outcome: "denied", optionId: "reject_once" }],
    [
      { outcome: "denied", option_id: "reject_always" },
      { outcome: "denied", optionId: "reject_always", remember: "reject" },
    ],
    [{ outcome: "denied", option_id: "allow_always" }, { outcome: "denied" }],
    [
      { outcome: "allowed", optionId: "allow_once", option_id: "allow_always" },
      { outcome: "denied" },
    ],
  ];
  for (const bad of [
    undefined,
    null,
    "allowed",
    [],
    {},
    { outcome: 1 },
    { outcome: {} },
    nested("nope"),
    nested(undefined),
    nested(3),
    { outcome: "approved", optionId: "allow" },
    { outcome: "selected" },
  ])
    table.push([bad, { outcome: "denied" }]);
  for (const [answer, meaning] of table)
    expect([answer, readAnswer(answer, offered)] as unknown).toEqual([answer, meaning]);
});

test("an answer that was not offered denies", async () => {
  const offered = optionsFor(question(await decideLine([inner("terraform destroy", "destroy")])));
  expect(readAnswer({ outcome: "allowed", option_id: "allow_always" }, offered)).toEqual({
    outcome: "denied",
  });
});

test("allow_always holds for the same words, not for a higher class, another word or a chained command", async () => {
  const grants = answerAlways(
    question(await decideLine([inner("terraform init", "write")])),
    "allow_always",
  );
  const at = context({ grants });
  const decision = async (...commands: Parameters<typeof decideLine>[0]) =>
    (await decideLine(commands, at)).decision;
  expect(await decision(inner("terraform init", "write"))).toBe("allow");
  expect(await decision(inner("terraform init -upgrade", "write"))).toBe("allow");
  expect(await decision(inner("terraform init -migrate-state", "mutate"))).toBe("ask");
  expect(await decision(inner("terraform apply", "mutate"))).toBe("ask");
  expect(await decision(inner("terraform init", "write"), inner("rm -rf x", "destroy"))).toBe(
    "ask",
  );
  expect(await decision(inner("terraform init", "write"), inner("npm install", "write"))).toBe(
    "ask",
  );
  expect(await decision(inner("terraform init", "write", { writes: ["/etc/x"] }))).toBe("ask");
});

test("allow_always of an edit holds below its directory, for that tool only", () => {
  const grants = answerAlways(
    question(decide(fileCall("edit_file", "/app/modules/net/main.tf"), context())),
    "allow_always",
  );
  const decision = (tool: string, path: string, real = path) =>
    decide(fileCall(tool, path, real), context({ grants })).decision;
  expect(decision("edit_file", "/app/modules/net/vars.tf")).toBe("allow");
  expect(decision("edit_file", "/app/modules/network/vars.tf")).toBe("ask");
  expect(decision("edit_file", "/app/modules/net/link", "/app/other/x")).toBe("ask");
  expect(decision("write_file", "/app/modules/net/vars.tf")).toBe("ask");
  expect(decision("edit_file", "/app/modules/net/terraform.tfstate")).toBe("deny");
});

test("reject_always denies what it named in every mode and leaves the rest", async () => {
  const both = [
    inner("terraform plan", "plan"),
    inner("terraform destroy -auto-approve", "destroy"),
  ];
  const at = context({
    mode: "auto",
    grants: answerAlways(question(await decideLine(both)), "reject_always"),
  });
  expect((await decideLine([inner("terraform destroy", "destroy")], at)).decision).toBe("deny");
  expect((await decideLine([inner("terraform plan", "plan")], at)).decision).toBe("allow");
  const secret = question(decide(fileCall("read_file", "/app/.env"), context()));
  const after = context({ grants: answerAlways(secret, "reject_always") });
  expect(decide(fileCall("read_file", "/app/.env"), after).decision).toBe("deny");
  expect(decide(fileCall("read_file", "/app/main.tf"), after).decision).toBe("allow");
  const odd = [inner("? x", "unknown")];
  const line = context({
    mode: "auto",
    grants: answerAlways(question(await decideLine(odd)), "reject_always"),
  });
  expect((await decideLine(odd, line)).decision).toBe("deny");
});
