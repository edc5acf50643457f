// `iac-code run` in a terminal: the question with its keys, the spinner, colours, and what a hostile text may not do.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { fakeModel, text, toolCall } from "../support/fake-model.ts";
import { openPty } from "../support/pty.ts";
import { QUOTED_PROGRAM } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const INVITE = "or Esc to stop: ";
const FILES = { "main.tf": "a = 1\nb = 2\nc = 3\n" };
const edit = (old_string: string, new_string: string) =>
  toolCall("edit_file", { path: "main.tf", old_string, new_string });
const read = toolCall("read_file", { path: "main.tf" });
/** Says after the program how the terminal was left, and the exit code. */
const run = (more = "") =>
  `${QUOTED_PROGRAM} run Edit ${more}; echo "exit $?"; stty -a | grep -oE -- '-?(icanon|echo|isig)\\b' | xargs echo modes`;
const RESTORED = "modes isig icanon echo";

test("a question is answered with one key, twice in a turn, and the terminal is left as it was", async () => {
  await using project = await tempDir(FILES);
  await using model = await fakeModel([
    read,
    edit("a = 1", "a = 9"),
    edit("c = 3", "c = 9"),
    text("Done."),
  ]);
  await using pty = openPty(run(), { cwd: project.path, env: model.env() });
  await pty.until("Edit main.tf");
  await pty.until("\u001b[31m  - a = 1\u001b[39m");
  await pty.until("\u001b[32m  + a = 9\u001b[39m");
  await pty.until(INVITE);
  pty.type("y");
  await pty.until("- c = 3");
  await pty.until(INVITE);
  pty.type("n");
  await pty.until("Done.");
  await pty.until("1 denied");
  await pty.until("exit 3");
  await pty.until(RESTORED);
  expect(readFileSync(project.file("main.tf"), "utf8")).toBe("a = 9\nb = 2\nc = 3\n");
  model.assertValid();
});

test("keys typed before the question, and pasted text, answer nothing", async () => {
  await using project = await tempDir(FILES);
  await using model = await fakeModel([read, edit("a = 1", "a = 9"), text("Done.")]);
  await using pty = openPty(run(), { cwd: project.path, env: model.env() });
  await model.received(1);
  pty.type("y");
  await pty.until(INVITE);
  pty.type("yes, yes\u001b[A");
  await pty.until(INVITE);
  pty.type("n");
  await pty.until("exit 3");
  expect(readFileSync(project.file("main.tf"), "utf8")).toBe(FILES["main.tf"]);
});

for (const [name, keys] of [
  ["Ctrl-C", "\u0003"],
  ["Esc", "\u001b"],
] as const) {
  test(`${name} at a question stops the turn with 130 and leaves the terminal as it was`, async () => {
    await using project = await tempDir(FILES);
    await using model = await fakeModel([read, edit("a = 1", "a = 9")]);
    await using pty = openPty(run(), { cwd: project.path, env: model.env() });
    await pty.until(INVITE);
    pty.type(keys);
    await pty.until("exit 130");
    await pty.until(RESTORED);
    expect(readFileSync(project.file("main.tf"), "utf8")).toBe(FILES["main.tf"]);
  });
}

test("a signal at a question leaves the terminal as it was", async () => {
  await using project = await tempDir(FILES);
  await using model = await fakeModel([read, edit("a = 1", "a = 9")]);
  const line = `${QUOTED_PROGRAM} run Edit & echo "pid $!"; wait $!; stty -a | grep -oE -- '-?(icanon|echo|isig)\\b' | xargs echo modes`;
  // In the background a terminal may not be read; a job of its own group is told to go to the front first.
  await using pty = openPty(`exec 3<&0; ${line.replace("run Edit &", "run Edit <&3 &")}`, {
    cwd: project.path,
    env: model.env(),
  });
  await pty.until(/pid \d+/);
  const pid = Number(/pid (\d+)/.exec(pty.text())?.[1]);
  await pty.until(INVITE);
  process.kill(pid, "SIGTERM");
  await pty.until(RESTORED);
});

test("a wait of more than half a second turns a spinner that is cleared before the answer", async () => {
  await using project = await tempDir(FILES);
  const { promise: hold, resolve: letGo } = Promise.withResolvers<void>();
  await using model = await fakeModel([() => hold.then(() => text("At last."))]);
  await using pty = openPty(`${QUOTED_PROGRAM} run Wait`, { cwd: project.path, env: model.env() });
  await pty.until(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] Thinking/);
  await pty.until(/Thinking 1 s/);
  letGo();
  await pty.until(/\r\u001b\[2KAt last\.\n/);
  expect(await pty.exited).toBe(0);
});

test("with NO_COLOR a terminal gets no escape sequence and no spinner, and is asked all the same", async () => {
  await using project = await tempDir(FILES);
  await using model = await fakeModel([read, edit("a = 1", "a = 9"), text("Done.")]);
  await using pty = openPty(run(), {
    cwd: project.path,
    env: { ...model.env(), NO_COLOR: "1" },
  });
  await pty.until("  - a = 1\n  + a = 9\n");
  await pty.until(INVITE);
  pty.type("a");
  await pty.until("exit 0");
  expect(pty.text()).not.toContain("\u001b");
  expect(pty.text()).toContain("● Read main.tf\n✔ Read main.tf\n");
});

test("what a file or a model says cannot move the cursor, set the clipboard or hide text", async () => {
  await using project = await tempDir({ "main.tf": "a = 1 # \u001b]52;c;aGk=\u0007\u202e\n" });
  await using model = await fakeModel([
    read,
    edit("a = 1", "a = 9\u001b[2K"),
    text("Bad \u001b]0;title\u0007\u009b2J text."),
  ]);
  await using pty = openPty(run(), { cwd: project.path, env: model.env() });
  await pty.until("a = 9\\u{1b}[2K");
  await pty.until(INVITE);
  pty.type("n");
  await pty.until("Bad \\u{1b}]0;title\\u{7}\\u{9b}2J text.");
  await pty.until("exit 3");
  expect(pty.text()).not.toMatch(/\u001b\]|\u009b|\u202e|\u0007/);
});

test("a command's output is shown under its card, its end when it is long", async () => {
  await using project = await tempDir(FILES);
  await using model = await fakeModel([
    toolCall("bash", { command: "seq 1 30", description: "count" }),
    text("Counted."),
  ]);
  await using pty = openPty(run("--mode auto"), { cwd: project.path, env: model.env() });
  await pty.until("exit 0");
  expect(pty.text()).toContain("more lines not shown");
  expect(pty.text()).toMatch(/ 30(\u001b\[22m)?\n/);
});

test("a model's thoughts stand on lines of their own, apart from the answer", async () => {
  await using project = await tempDir(FILES);
  await using model = await fakeModel([text("Yes,\u00a0really.", { thought: "Hm.\nLet me see." })]);
  await using pty = openPty(`${QUOTED_PROGRAM} run Think`, {
    cwd: project.path,
    env: { ...model.env(), NO_COLOR: "1" },
  });
  expect(await pty.exited).toBe(0);
  await pty.until("Yes,\u00a0really.\n");
  expect(pty.text()).toBe("Hm.\nLet me see.\nYes,\u00a0really.\n");
});
