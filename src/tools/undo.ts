// Bringing back what files held before the last turn that wrote to them: a prepared call like a tool's, so that it is
// shown as a diff and goes through the same gate, but one that only a person can start.

import { unlink } from "node:fs/promises";
import type { ToolContent } from "../conversation/content.ts";
import { realPathOfDeepest } from "../lib/path-inside.ts";
import { count } from "../lib/text.ts";
import { cancelled, failed } from "./answers.ts";
import type { Checkpoint, KeptFile } from "./checkpoints.ts";
import { type CurrentFile, putFile, readCurrent } from "./current-file.ts";
import { diffContent } from "./diff-content.ts";
import { describeFileError } from "./disk-file.ts";
import { decodeText, type FileText } from "./file-text.ts";
import { showPath, type ToolPath } from "./tool-path.ts";
import type { ToolSession } from "./tool-session.ts";
import type { PreparedCall, ToolContext, ToolResult } from "./tool.ts";

const MAX_TITLE_NAMES = 5;

type Step =
  | {
      readonly type: "restore";
      readonly target: ToolPath;
      readonly text: FileText;
      /** Absent: it was removed since. */
      readonly current?: CurrentFile;
    }
  | { readonly type: "remove"; readonly target: ToolPath; readonly current: CurrentFile }
  | { readonly type: "leave"; readonly target: ToolPath; readonly reason: string };

/** The call that undoes the last turn's edits; a string says why there is nothing to undo. */
export async function prepareUndo(
  session: ToolSession,
  cwd: string,
): Promise<PreparedCall | string> {
  const checkpoint = await session.checkpoints.last();
  if (checkpoint === undefined)
    return "There is nothing to undo: no turn of this session has changed a file through write_file or edit_file. What commands changed is not kept.";
  const targets = checkpoint.files.map((file) => toTarget(file, cwd));
  const names = targets.map(({ shown }) => shown);
  const more = names.length > MAX_TITLE_NAMES ? ` and ${names.length - MAX_TITLE_NAMES} more` : "";
  return {
    title: `Undo the edits of the last turn in ${names.slice(0, MAX_TITLE_NAMES).join(", ")}${more}`,
    kind: "edit",
    rawInput: { paths: checkpoint.files.map(({ path }) => path) },
    access: {
      type: "write",
      paths: checkpoint.files.map(({ path, realPath }) => ({ path, realPath })),
    },
    locations: checkpoint.files.map(({ path }) => ({ path })),
    preview: async (context) => {
      const steps = await planSteps(checkpoint, context);
      return steps.every(({ type }) => type === "leave")
        ? { ok: false, text: nothingText(steps) }
        : { ok: true, content: steps.flatMap(stepContent) };
    },
    execute: (context) => run(checkpoint, context),
  };
}

function toTarget({ path, realPath }: KeptFile, cwd: string): ToolPath {
  return { path, realPath, shown: showPath(path, cwd) };
}

/** What undoing would do now to each file that does not already hold what it held. */
async function planSteps({ files }: Checkpoint, context: ToolContext): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const file of files) {
    const step = await planStep(file, context);
    if (step !== undefined) steps.push(step);
  }
  return steps;
}

async function planStep(file: KeptFile, context: ToolContext): Promise<Step | undefined> {
  const target = toTarget(file, context.cwd);
  const leave = (reason: string): Step => ({ type: "leave", target, reason });
  if ((await realPathOfDeepest(target.path)) !== target.realPath)
    return leave("a link was put into its path");
  const current = await readCurrent(target, context);
  if (current.type === "refused") return leave(current.reason);
  if (file.before === undefined) {
    if (current.type === "missing") return undefined;
    return file.after.has(current.stamp.hash)
      ? { type: "remove", target, current }
      : leave("it was changed since");
  }
  const text = decodeText(file.before);
  if (!text.ok) return leave(text.reason);
  if (current.type === "missing") return { type: "restore", target, text };
  if (current.text === text.text && current.encoding === text.encoding) return undefined;
  return file.after.has(current.stamp.hash)
    ? { type: "restore", target, text, current }
    : leave("it was changed since");
}

function stepContent(step: Step): readonly ToolContent[] {
  const { path, shown } = step.target;
  switch (step.type) {
    case "restore":
      return diffContent(path, step.current?.text, step.text.text);
    case "remove":
      return [
        ...diffContent(path, step.current.text, ""),
        { type: "text", text: `${shown} was made by the turn and is removed.` },
      ];
    case "leave":
      return [{ type: "text", text: `${shown} stays as it is: ${step.reason}.` }];
  }
}

async function run(checkpoint: Checkpoint, context: ToolContext): Promise<ToolResult> {
  if (context.signal.aborted) return cancelled();
  // Looked at again: files may have changed while the question was open.
  const steps = await planSteps(checkpoint, context);
  if (steps.every(({ type }) => type === "leave")) return failed(nothingText(steps));
  const lines: string[] = [];
  let faults = 0;
  for (const step of steps) {
    const fault = step.type === "leave" ? step.reason : await takeStep(step, context);
    if (fault !== undefined && step.type !== "leave") faults += 1;
    lines.push(
      `- ${step.target.shown}: ${fault === undefined ? doneText(step) : `left, ${fault}`}`,
    );
  }
  if (faults === 0) await context.session.checkpoints.forget(checkpoint);
  const done = steps.filter(({ type }) => type !== "leave").length - faults;
  const text = `Undid the edits of the last turn in ${count(done, "file")}:\n${lines.join("\n")}`;
  context.session.notices.push(`The user took back edits with /undo. ${text}`);
  return {
    ok: faults === 0,
    text: `${text}\nWhat commands changed is not undone.`,
    content: [...steps.flatMap(stepContent), { type: "text", text }],
  };
}

async function takeStep(
  step: Exclude<Step, { readonly type: "leave" }>,
  context: ToolContext,
): Promise<string | undefined> {
  const { target } = step;
  if (step.type === "restore") return putFile(target, step.text, step.current, context);
  try {
    await unlink(target.realPath);
    context.session.files.delete(target.realPath);
    return undefined;
  } catch (error) {
    return describeFileError(error);
  }
}

const doneText = (step: Step): string =>
  step.type === "remove" ? "removed, the turn had made it" : "as it was before the turn";

function nothingText(steps: readonly Step[]): string {
  if (steps.length === 0)
    return "There is nothing to undo: every file already holds what it held before the last turn that wrote.";
  const reasons = steps.map((step) =>
    step.type === "leave" ? `- ${step.target.shown}: ${step.reason}` : "",
  );
  return `Nothing was undone, so that nothing is lost:\n${reasons.join("\n")}`;
}
