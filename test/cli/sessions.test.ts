// `iac-code sessions` and `iac-code models`.

import { expect, test } from "bun:test";
import { toSessionTable } from "../../src/cli/session-text.ts";
import { toSessionId } from "../../src/lib/ids.ts";
import type { SessionRecord } from "../../src/stores/store.ts";
import { fakeModel, text, toolCall } from "../support/fake-model.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

test("sessions list, show, export and delete work on the stored sessions", async () => {
  await using project = await tempDir({ "main.tf": "" });
  await using home = await tempDir();
  await using model = await fakeModel([
    toolCall("read_file", { path: "main.tf" }),
    text("It is empty."),
  ]);
  const options = { cwd: project.path, env: model.env(), home: home.path };
  expect((await runCli(["sessions"], options)).out).toStartWith("No sessions yet.");
  await runCli(["run", "Look at main.tf"], options);
  const listed = await runCli(["sessions", "list", "--cwd", project.path], options);
  expect(listed.out).toContain("Look at main.tf");
  const id = /sess_\w+/.exec(listed.out)?.[0] ?? "";
  const shown = await runCli(["sessions", "show", id], options);
  expect(shown.out).toContain("## User\n\nLook at main.tf");
  expect(shown.out).toContain("It is empty.");
  const decisions = await runCli(["sessions", "show", id, "--permissions"], options);
  expect(decisions.out).toMatch(/allowed .*read_file .*default read/);
  const json = JSON.parse(
    (await runCli(["sessions", "export", id, "--format", "json"], options)).out,
  ) as { session: { id: string }; entries: unknown[] };
  expect(json.session.id).toBe(id);
  expect(json.entries.length).toBeGreaterThan(3);
  expect((await runCli(["sessions", "delete", id], options)).code).toBe(0);
  expect((await runCli(["sessions"], options)).out).toStartWith("No sessions yet.");
});

test("sessions names what is wrong with a call", async () => {
  const unknown = await runCli(["sessions", "show", "nope"]);
  expect([unknown.code, unknown.err]).toEqual([
    1,
    "iac-code: There is no session nope; iac-code sessions list shows them\n",
  ]);
  expect((await runCli(["sessions", "dance"])).code).toBe(2);
  expect((await runCli(["sessions", "show"])).code).toBe(2);
});

test("models lists what can be used, marks the current one, and says where each comes from", async () => {
  const none = await runCli(["models"]);
  expect(none.out).toMatch(/^\* offline /);
  expect(none.err).toContain("OPENAI_API_KEY");
  const some = await runCli(["models"], {
    env: { IACCODE_BASE_URL: "http://127.0.0.1:9/v1", IACCODE_MODEL: "tiny", IACCODE_API_KEY: "k" },
  });
  expect(some.out).toMatch(/^\* custom\/tiny .*IACCODE_BASE_URL/);
  expect(some.code).toBe(0);
});

test("the table of sessions fits the terminal, the title's beginning and the directory's end kept", () => {
  const record = (title: string, cwd: string): SessionRecord => ({
    realCwd: cwd,
    additionalDirectories: [],
    createdAt: 0,
    modeId: "default",
    id: toSessionId("sess_0123456789abcdef0123456789abcdef"),
    updatedAt: 0,
    prompts: 3,
    title,
    cwd,
  });
  const records = [
    record(
      "Make the orders database encrypted and keep its backups",
      "/home/anna/infrastructure/eu",
    ),
    record("数据库加密并保留备份和日志和标签", "/srv/x"),
  ];
  for (const columns of [40, 80, 100, 120]) {
    const shown = toSessionTable(records, false, columns);
    for (const line of shown.trimEnd().split("\n"))
      expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
    expect(shown).toContain("sess_0123456789abcdef0123456789abcdef");
    expect(shown).toContain("Make the ");
    expect(shown).toContain("ture/eu\n");
  }
  expect(toSessionTable(records, true)).toContain("keep its backups  /home/anna/infrastructure/eu");
});
