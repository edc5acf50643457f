// The stories of permission, end to end, as golden transcripts: an edit is allowed for a folder; an "always" does not
// cover what is chained to it; a session that only plans refuses. What runs is the real program.

import { expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { basename } from "node:path";
import { type AcpClient, type Json, openAgent } from "../support/acp-client.ts";
import { type FakeMessage, fakeModel, text, toolCall } from "../support/fake-model.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { expectGolden, toTranscript } from "../support/transcript.ts";

const MAIN_TF = 'resource "terraform_data" "network" {\n  input = "10.0.0.0/8"\n}\n';
const bash = (command: string): FakeMessage => toolCall("bash", { command });

type Story = {
  readonly client: AcpClient;
  readonly project: TempDir;
  readonly sessionId: string;
  /** What the fake terraform was called with, one line a call. */
  readonly calls: () => Promise<string>;
};

/** A session whose commands were announced, with a terraform that only notes how it was called. */
async function tell(
  name: string,
  replies: readonly FakeMessage[],
  body: (story: Story) => Promise<void>,
): Promise<void> {
  await using project = await tempDir({ "main.tf": MAIN_TF, "modules/net/main.tf": MAIN_TF });
  await using bin = await tempDir({
    terraform: '#!/bin/sh\necho "$@" >> "$CALLS"\necho "terraform $1: done"\n',
    calls: "",
  });
  await chmod(bin.file("terraform"), 0o755);
  await using model = await fakeModel(replies);
  const env = {
    ...model.env(),
    PATH: `${bin.path}:${process.env["PATH"] ?? ""}`,
    CALLS: bin.file("calls"),
  };
  await using client = await openAgent("stdio", { env });
  const sessionId = await client.newSession(project.path);
  await client.untilUpdate(
    sessionId,
    ({ sessionUpdate }) => sessionUpdate === "available_commands_update",
  );
  const calls = () => Bun.file(bin.file("calls")).text();
  await body({ client, project, sessionId, calls });
  const names = { [project.path]: "<project>", [basename(project.path)]: "<project>" };
  expectGolden(name, toTranscript(client.log, names));
  client.assertConformant();
  model.assertValid();
}

/** Answers the questions in order; resolves each with the option of that kind. */
function answerInOrder(client: AcpClient, kinds: readonly string[]): string[] {
  const asked: string[] = [];
  client.handlers["session/request_permission"] = ({ toolCall: call }) => {
    asked.push(String((call as Json)["title"]));
    return { outcome: { outcome: "selected", optionId: kinds[asked.length - 1] } };
  };
  return asked;
}

const edit = (path: string, from: string, to: string): FakeMessage =>
  toolCall("edit_file", { path, old_string: from, new_string: to });

test("story: edits allowed for a folder pass in that folder, and ask in another", () =>
  tell(
    "permission-edit",
    [
      toolCall("read_file", { path: "main.tf" }),
      toolCall("read_file", { path: "modules/net/main.tf" }),
      edit("modules/net/main.tf", "10.0.0.0/8", "10.1.0.0/16"),
      edit("modules/net/main.tf", "10.1.0.0/16", "10.2.0.0/16"),
      edit("main.tf", "10.0.0.0/8", "10.2.0.0/16"),
      text("The module is changed, the root is not."),
    ],
    async ({ client, project, sessionId }) => {
      const asked = answerInOrder(client, ["allow_always", "reject_once"]);
      await client.prompt(sessionId, "Make the networks smaller");
      expect(asked).toEqual(["Edit modules/net/main.tf", "Edit main.tf"]);
      expect(await Bun.file(project.file("modules/net/main.tf")).text()).toContain("10.2.0.0/16");
      expect(await Bun.file(project.file("main.tf")).text()).toBe(MAIN_TF);
    },
  ));

test("story: validate runs unasked, an always for plan covers neither a chained destroy nor a hidden one", () =>
  tell(
    "permission-always",
    [
      bash("terraform validate"),
      bash("terraform plan"),
      bash("terraform plan -input=false"),
      bash("terraform validate && terraform plan && terraform destroy -auto-approve"),
      bash("terraform plan; T=terraform; $T destroy"),
      text("I did not destroy anything."),
    ],
    async ({ client, sessionId, calls }) => {
      const asked = answerInOrder(client, ["allow_always", "reject_once", "reject_once"]);
      await client.prompt(sessionId, "Validate, plan, clean up");
      expect(asked).toEqual([
        "terraform plan",
        "terraform validate && terraform plan && terraform destroy -auto-approve",
        "terraform plan; T=terraform; $T destroy",
      ]);
      expect(await calls()).toBe("validate\nplan\nplan -input=false\n");
    },
  ));

test("story: a session that only plans reads and plans, and refuses edits and changes without asking", () =>
  tell(
    "permission-plan",
    [
      toolCall("read_file", { path: "main.tf" }),
      edit("main.tf", "10.0.0.0/8", "10.1.0.0/16"),
      bash("terraform apply"),
      bash("sed -i s/10/11/ main.tf"),
      bash("terraform plan"),
      text("Here is what I would do."),
    ],
    async ({ client, project, sessionId, calls }) => {
      const asked = answerInOrder(client, ["allow_once"]);
      await client.request("session/set_mode", { sessionId, modeId: "plan" });
      await client.prompt(sessionId, "Make the network smaller");
      expect(asked).toEqual(["terraform plan"]);
      expect(await Bun.file(project.file("main.tf")).text()).toBe(MAIN_TF);
      expect(await calls()).toBe("plan\n");
    },
  ));
