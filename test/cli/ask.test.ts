// A question of the model's in a terminal.

import { expect, test } from "bun:test";
import { fakeModel, text, toolCall } from "../support/fake-model.ts";
import { openPty } from "../support/pty.ts";
import { QUOTED_PROGRAM } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

test("a question of the model is answered by the number of the answer", async () => {
  await using project = await tempDir();
  const question = { question: "Which environment?", options: ["staging", "production"] };
  await using model = await fakeModel([toolCall("ask_user", question), text("Noted.")]);
  await using pty = openPty(`${QUOTED_PROGRAM} run Ask; echo "exit $?"`, {
    cwd: project.path,
    env: model.env(),
  });
  await pty.until("Which environment?");
  await pty.until("None of these");
  await pty.until("1, 2, 3, or Esc to stop: ");
  pty.type("2");
  await pty.until("Noted.");
  await pty.until("exit 0");
  expect(model.requests[1]?.messages.at(-1)?.["content"]).toBe("answer: production");
});
