import { expect, test } from "bun:test";
import type { Access } from "../../src/conversation/access.ts";
import { MODE_IDS } from "../../src/permissions/modes.ts";
import { decide } from "../../src/permissions/policy.ts";
import { context, decideLine, fileCall, inner, pathAt } from "./calls.ts";

const call = (tool: string, access: Access) => ({ tool, access });
const outcome = (one: { readonly decision: string; readonly by: string }) => [one.decision, one.by];

test("reads inside the roots pass; outside, secrets and a shared name prefix ask", () => {
  expect(decide(fileCall("read_file", "/app/main.tf"), context()).decision).toBe("allow");
  for (const path of [
    "/app-evil/x",
    "/etc/passwd",
    "/app/.env",
    "/app/prod.tfvars",
    "/app/terraform.tfstate.backup",
    "/app/keys/id_rsa",
    "/app/prod.tfvars.bak",
    "/app/server.key~",
    "/app/id_rsa.old",
  ])
    for (const mode of MODE_IDS)
      expect([path, decide(fileCall("read_file", path), context({ mode })).decision]).toEqual([
        path,
        "ask",
      ]);
  expect(decide(fileCall("read_file", "/app/x", "/etc/passwd"), context()).decision).toBe("ask");
  expect(decide(fileCall("read_file", "/app/id_rsa.pub"), context()).decision).toBe("allow");
});

test("writes ask, pass in accept_edits and auto, and are refused in plan mode", () => {
  const write = fileCall("edit_file", "/app/modules/net/main.tf");
  const by = (mode: (typeof MODE_IDS)[number]) => outcome(decide(write, context({ mode })));
  expect(MODE_IDS.map(by)).toEqual([
    ["ask", "default"],
    ["allow", "mode accept_edits"],
    ["deny", "mode plan"],
    ["allow", "mode auto"],
  ]);
});

test("a write outside asks in every writing mode and says so, without an always", () => {
  for (const mode of ["default", "accept_edits", "auto"] as const) {
    const decision = decide(fileCall("write_file", "/tmp/x"), context({ mode }));
    expect(decision).toMatchObject({
      decision: "ask",
      reasons: ["writes /tmp/x, outside the project"],
    });
    expect(decision).not.toHaveProperty("always");
  }
});

test("protected paths are never written by file tools, whatever the mode or rules", () => {
  const allow = { allow: ["file", "write_file(**)", "edit_file(**)"] };
  for (const path of [
    "/app/.git/config",
    "/app/.terraform/x",
    "/app/a/.terraform.lock.hcl",
    "/app/terraform.tfstate",
    "/app/x/errored.tfstate.backup",
  ]) {
    const decision = decide(fileCall("write_file", path), context({ mode: "auto" }, allow));
    expect([path, ...outcome(decision)]).toEqual([path, "deny", "protected path"]);
  }
  expect(
    decide(fileCall("write_file", "/app/link.txt", "/app/.git/config"), context()).decision,
  ).toBe("deny");
  expect(
    decide(fileCall("write_file", "/app/.gitignore"), context({ mode: "auto" })).decision,
  ).toBe("allow");
});

test("a project's protect globs refuse as well, and its settings always ask", () => {
  const { rules } = context();
  const guarded = context({ mode: "auto", rules: { ...rules, protect: ["prod/**"] } });
  expect(decide(fileCall("edit_file", "/app/prod/main.tf"), guarded).decision).toBe("deny");
  expect(
    decide(
      fileCall("edit_file", "/app/.iac-code/config.json"),
      context({ mode: "auto" }, { allow: ["file(**)"] }),
    ).decision,
  ).toBe("ask");
});

test("deny beats ask beats allow in every mode", () => {
  const all = { deny: ["read_file(**/.env)"], ask: ["read_file(**)"], allow: ["read_file(**)"] };
  for (const mode of MODE_IDS) {
    expect(outcome(decide(fileCall("read_file", "/app/.env"), context({ mode }, all)))).toEqual([
      "deny",
      "rule deny read_file(**/.env)",
    ]);
    expect(outcome(decide(fileCall("read_file", "/app/a"), context({ mode }, all)))).toEqual([
      "ask",
      "rule ask read_file(**)",
    ]);
  }
  expect(
    decide(fileCall("read_file", "/app/.env"), context({}, { allow: all.allow })).decision,
  ).toBe("allow");
  expect(
    decide(fileCall("read_file", "/etc/hosts"), context({}, { allow: ["read_file"] })).decision,
  ).toBe("ask");
});

test("a deny rule on files bites bash reads, writes and words, and grep on the file", async () => {
  const at = context({ mode: "auto" }, { deny: ["read_file(**/.env)"] });
  expect((await decideLine([inner("cat .env", "read", { reads: [".env"] })], at)).decision).toBe(
    "deny",
  );
  expect((await decideLine([inner("dd if=.env of=x", "write")], at)).decision).toBe("deny");
  expect(
    (
      await decideLine(
        [inner("cd sub", "read"), inner("cat ../.env", "read", { reads: ["../.env"] })],
        at,
      )
    ).decision,
  ).toBe("deny");
  expect(decide(fileCall("grep", "/app/.env"), at).decision).toBe("deny");
  expect(
    (await decideLine([inner("cat main.tf", "read", { reads: ["main.tf"] })], at)).decision,
  ).toBe("allow");
});

test("a deny rule on bash denies the sure and asks about the possible, never silently runs it", async () => {
  const at = context({ mode: "auto" }, { deny: ["bash(terraform:*)"], allow: ["bash"] });
  expect(
    (await decideLine([inner("ls", "read"), inner("/opt/terraform plan", "plan")], at)).decision,
  ).toBe("deny");
  expect((await decideLine([inner("? plan", "plan")], at)).decision).toBe("ask");
  expect((await decideLine([inner("python x.py", "unknown")], at)).decision).toBe("ask");
});

test("command classes by mode", async () => {
  const table: Record<string, string[]> = {};
  for (const mode of MODE_IDS) {
    table[mode] = [];
    for (const klass of ["read", "write", "plan", "mutate", "destroy", "unknown"] as const)
      table[mode].push((await decideLine([inner("tool verb", klass)], context({ mode }))).decision);
  }
  expect(table).toEqual({
    default: ["allow", "ask", "ask", "ask", "ask", "ask"],
    accept_edits: ["allow", "ask", "ask", "ask", "ask", "ask"],
    plan: ["allow", "deny", "ask", "deny", "deny", "deny"],
    auto: ["allow", "allow", "allow", "allow", "ask", "ask"],
  });
});

test("a command that leaves the project, reads a secret or is known only at run time asks without an always, even in auto", async () => {
  const auto = context({ mode: "auto" }, { allow: ["bash"] });
  for (const command of [
    inner("cat /etc/shadow", "read", { reads: ["/etc/shadow"] }),
    inner("cat .env", "read", { reads: [".env"] }),
    inner("cat ~/.ssh/id_rsa", "read", { reads: ["~/.ssh/id_rsa"] }),
    inner("cat ?", "read"),
    inner("tee /tmp/x", "write", { writes: ["/tmp/x"] }),
    inner("tee terraform.tfstate", "write", { writes: ["terraform.tfstate"] }),
    inner("cat ~bob/x", "read", { reads: ["~bob/x"] }),
  ]) {
    const decision = await decideLine([command], auto);
    expect([command.argv, decision.decision]).toEqual([command.argv, "ask"]);
    expect(decision).not.toHaveProperty("always");
  }
  expect((await decideLine([inner("echo ?", "read")])).decision).toBe("allow");
  expect((await decideLine([inner("cat x", "read", { reads: ["/dev/null"] })])).decision).toBe(
    "allow",
  );
  expect(
    (
      await decideLine(
        [inner("terraform plan -var-file=p.tfvars", "plan", { reads: ["p.tfvars"] })],
        auto,
      )
    ).decision,
  ).toBe("allow");
});

test("relative names after a cd to an unknown place ask", async () => {
  const commands = [inner("cd ?", "read"), inner("cat x", "read", { reads: ["x"] })];
  expect((await decideLine(commands)).decision).toBe("ask");
  const away = [inner("cd /etc", "read"), inner("cat passwd", "read", { reads: ["passwd"] })];
  expect((await decideLine(away)).decision).toBe("ask");
});

test("allow rules cover every inner command or none, and never destroy or unknown", async () => {
  const at = context({}, { allow: ["bash(terraform plan:*)", "bash(terraform destroy:*)"] });
  expect((await decideLine([inner("terraform plan", "plan")], at)).decision).toBe("allow");
  expect(
    (await decideLine([inner("terraform plan", "plan"), inner("npm install", "write")], at))
      .decision,
  ).toBe("ask");
  expect((await decideLine([inner("terraform destroy", "destroy")], at)).decision).toBe("ask");
});

test("fetches of public hosts pass, private ones ask, and a denied host holds for bash", async () => {
  const fetch = (host: string) =>
    call("web_fetch", { type: "fetch", url: `https://${host}/`, host });
  expect(decide(fetch("docs.example.com"), context()).decision).toBe("allow");
  for (const host of [
    "localhost",
    "127.0.0.1:80",
    "10.0.0.1",
    "100.100.100.200",
    "[::1]",
    "a.internal",
  ])
    expect([host, decide(fetch(host), context()).decision]).toEqual([host, "ask"]);
  const deny = context({ mode: "auto" }, { deny: ["web_fetch(*.example.com)"] });
  expect(decide(fetch("docs.example.com"), deny).decision).toBe("deny");
  expect(
    (await decideLine([inner("curl https://docs.example.com/x", "plan")], deny)).decision,
  ).toBe("deny");
});

test("agents, MCP tools and actions ask by default; auto lets all but destroy pass", () => {
  const agent = call("agent", { type: "agent", prompt: "x" });
  const mcp = call("mcp__github__create", {
    type: "mcp",
    server: "github",
    tool: "create",
    readOnlyHint: false,
  });
  const action = (klass: "plan" | "destroy") =>
    call("iac_plan", {
      type: "action",
      class: klass,
      subject: "plan dev",
      directory: pathAt("/app/dev"),
      scope: "iac_plan",
    });
  for (const one of [agent, mcp, action("plan")]) {
    expect(decide(one, context())).toHaveProperty("always");
    expect(decide(one, context({ mode: "auto" })).decision).toBe("allow");
  }
  expect(decide(action("destroy"), context({ mode: "auto" }))).toMatchObject({ decision: "ask" });
  expect(decide(action("destroy"), context())).not.toHaveProperty("always");
  expect(decide(mcp, context({ mode: "auto" }, { deny: ["mcp__github__*"] })).decision).toBe(
    "deny",
  );
  expect(decide(agent, context({ mode: "auto" }, { deny: ["agent"] })).decision).toBe("deny");
  expect(
    decide(
      action("plan"),
      context({ mode: "auto" }, { deny: ["iac_plan(dev/**)", "iac_plan(dev)"] }),
    ).decision,
  ).toBe("deny");
  expect(decide(call("x", { type: "none" }), context({ mode: "plan" })).decision).toBe("allow");
});

test("the session's own outputs are read unasked, by tools and commands; rules and secrets in them still hold", async () => {
  const folder = "/home/u/.iac-code/sessions/sess_1";
  const log = `${folder}/output-1.log`;
  const own = context({ readable: [folder] });
  const tail = [inner(`tail ${log}`, "read", { reads: [log] })];
  expect(decide(fileCall("read_file", log), own).decision).toBe("allow");
  expect((await decideLine(tail, own)).decision).toBe("allow");
  for (const decision of [
    decide(fileCall("read_file", log), context()),
    decide(fileCall("read_file", "/home/u/.iac-code/sessions/sess_2/x.log"), own),
    decide(fileCall("read_file", `${folder}-undo/1/0`), own),
    decide(fileCall("read_file", `${folder}/prod.tfplan`), own),
    decide(fileCall("write_file", log), own),
    await decideLine([inner("tee x", "write", { writes: [log] })], own),
  ])
    expect(decision.decision).toBe("ask");
  const denied = context({ readable: [folder] }, { deny: ["file(**/sessions/**)"] });
  expect(decide(fileCall("read_file", log), denied).decision).toBe("deny");
  expect((await decideLine(tail, denied)).decision).toBe("deny");
});
