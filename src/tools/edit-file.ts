// edit_file: one text replaced by another, byte-exact around it.

import { z } from "zod";
import { count } from "../lib/text.ts";
import { cancelled, failed } from "./answers.ts";
import {
  type Current,
  type CurrentFile,
  noted,
  protectedReason,
  readCurrent,
  replaceFile,
  staleReason,
} from "./current-file.ts";
import { diffContent } from "./diff-content.ts";
import { type Edit, editText } from "./edit-text.ts";
import { missingText, toAccess, type ToolPath, toToolPath } from "./tool-path.ts";
import { defineTool, type ToolContext, type ToolResult } from "./tool.ts";

/** UTF-16 units. */
const MAX_TEXT_LENGTH = 1024 * 1024;
const editedText = z
  .string()
  .max(MAX_TEXT_LENGTH)
  .refine((text) => text.isWellFormed(), "it holds half of a surrogate pair, which no file can");

const editArgs = z.object({
  path: z.string().describe("Relative to the working directory, or absolute."),
  old_string: editedText.describe(
    "The text to replace, copied exactly, with enough around it to occur once. Empty only for an empty file.",
  ),
  new_string: editedText.describe("What takes its place."),
  replace_all: z.boolean().optional().describe("Replace every match. Default false."),
});
type EditArgs = z.infer<typeof editArgs>;

export const editFile = defineTool({
  name: "edit_file",
  kind: "edit",
  description:
    "Replace a text in a file that was read in this session and is unchanged since. old_string must occur exactly once, unless replace_all. Line ends match whatever they are, and the file keeps its own; every other byte stays as it was. Do not copy line numbers from read_file.",
  args: editArgs,
  open: async (args, place) => {
    const target = await toToolPath(args.path, place);
    if (typeof target === "string") return target;
    const refusal = protectedReason(target);
    if (refusal) return refusal;
    if (args.old_string === args.new_string)
      return "old_string and new_string are the same: there is nothing to change.";
    return {
      title: `Edit ${target.shown}`,
      access: { type: "write", paths: [toAccess(target)] },
      locations: [{ path: target.path }],
      preview: async (context) => {
        const plan = await planEdit(target, args, await readCurrent(target, context), context);
        if (typeof plan === "string") return { ok: false, text: plan };
        return { ok: true, content: diffContent(target.path, plan.current.text, plan.text) };
      },
      execute: (context) => run(target, args, context),
    };
  },
});

type EditPlan = {
  readonly current: CurrentFile;
  readonly text: string;
  readonly lines: readonly number[];
  readonly matches: number;
};

async function planEdit(
  target: ToolPath,
  args: EditArgs,
  current: Current,
  { session }: ToolContext,
): Promise<EditPlan | string> {
  if (current.type === "missing")
    return `${await missingText(target)} Use write_file to make a new file.`;
  if (current.type === "refused")
    return `Cannot edit ${target.shown}: ${current.reason}. Nothing was written.`;
  const stale = staleReason(target, current, session);
  if (stale) return stale;
  const oldText = withoutMark(args.old_string);
  const newText = withoutMark(args.new_string);
  if (oldText === "") {
    if (current.text === "") return { current, text: newText, lines: [1], matches: 1 };
    return "old_string: it is empty, but the file is not. Give the text to replace, or use write_file for the whole file.";
  }
  const edit = editText(current.text, oldText, newText, args.replace_all ?? false);
  if (edit.type !== "edited") return mismatchText(target, edit);
  if (edit.text === current.text)
    return `The edit would change nothing in ${target.shown}: the texts differ in line ends only, and the file keeps its own.`;
  return { current, text: edit.text, lines: edit.lines, matches: edit.matches };
}

/** The mark at a file's beginning is hidden from the model; one that it writes anyway is not part of the text. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function mismatchText(target: ToolPath, edit: Exclude<Edit, { readonly type: "edited" }>): string {
  if (edit.type === "many")
    return `old_string occurs ${edit.count} times in ${target.shown} (lines ${edit.lines.join(", ")}${edit.lines.length < edit.count ? ", …" : ""}). Add lines around it to name one of them, or set replace_all. Nothing was written.`;
  const near = edit.nearMisses.map(({ line, text }) => `${line}\t${text.slice(0, 300)}`);
  const closest = near.length === 0 ? "" : `\nThe closest lines are:\n${near.join("\n")}`;
  const hint = edit.hint === undefined ? "" : ` ${edit.hint}`;
  return `old_string does not occur in ${target.shown} (0 matches). Nothing was written.${hint}${closest}`;
}

async function run(target: ToolPath, args: EditArgs, context: ToolContext): Promise<ToolResult> {
  if (context.signal.aborted) return cancelled();
  // Read again: the file may have changed while the question was open.
  const plan = await planEdit(target, args, await readCurrent(target, context), context);
  if (typeof plan === "string") return failed(plan);
  if (context.signal.aborted) return cancelled();
  const next = { encoding: plan.current.encoding, text: plan.text };
  const written = await replaceFile(target, next, plan.current, context);
  if (!written.ok)
    return failed(`Cannot edit ${target.shown}: ${written.reason}. Nothing was written.`);
  const more = plan.matches > plan.lines.length ? ", …" : "";
  const places = `line${plan.matches === 1 ? "" : "s"} ${plan.lines.join(", ")}${more}`;
  return {
    ok: true,
    text: `Edited ${target.shown}: ${count(plan.matches, "match", "matches")} replaced, at ${places}.${noted(written)}`,
    content: diffContent(target.path, plan.current.text, plan.text),
    locations: plan.lines.slice(0, 1).map((line) => ({ path: target.path, line })),
  };
}
