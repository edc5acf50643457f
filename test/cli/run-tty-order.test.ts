// The terminal has one thing at a time, also when several things happen at once, as with sub-agents.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { openPty } from "../support/pty.ts";
import { tempDir } from "../support/temp-dir.ts";

const OUTPUT = join(import.meta.dir, "../../src/cli/run-output.ts");

/** Two questions at the same time, and an update while the first is open. */
const SCRIPT = `
import { createOutput } from ${JSON.stringify(OUTPUT)};
const output = createOutput({ isJson: false, isInteractive: true, cwd: "/" });
const { signal } = new AbortController();
const ask = (id) =>
  output.ask({
    sessionId: "s",
    toolCall: { toolCallId: id, title: "Change " + id },
    options: [
      { optionId: "allow " + id, kind: "allow_once", name: "Allow" },
      { optionId: "reject " + id, kind: "reject_once", name: "Reject" },
    ],
  }, signal);
const answers = Promise.all([ask("one"), ask("two")]);
const shown = output.show({ sessionUpdate: "tool_call", toolCallId: "three", title: "Read three", status: "pending" });
process.stdout.write("answers " + JSON.stringify(await answers) + "\\n");
await shown;
process.stdout.write("the end\\n");
`;

test("questions that come at once are asked one after the other, each with a key of its own, and updates wait", async () => {
  await using folder = await tempDir({ "script.ts": SCRIPT });
  await using pty = openPty(`'${process.execPath}' script.ts`, {
    cwd: folder.path,
    env: { NO_COLOR: "1" },
  });
  await pty.until("y, n, or Esc to stop: ");
  expect(pty.text()).not.toContain("Change two");
  pty.type("y");
  await pty.until("Change two");
  await pty.until("y, n, or Esc to stop: ");
  expect(pty.text()).not.toContain("Read three");
  pty.type("n");
  await pty.until("the end");
  expect(pty.text()).toContain('answers ["allow one","reject two"]');
  expect(pty.text()).toContain("Read three");
});
