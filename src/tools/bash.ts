// bash: runs a command line. What it would really do is analysed first, and the analysis is what permission is about.

import { open, realpath } from "node:fs/promises";
import { z } from "zod";
import type { CommandAnalysis } from "../conversation/access.ts";
import { escapeInvisible, fence, truncateAtGrapheme } from "../lib/text.ts";
import { analyzeCommand } from "../shell/analyze.ts";
import { cancelled, failed } from "./answers.ts";
import { startInBackground } from "./bash-background.ts";
import { commandEnvironment } from "./bash-env.ts";
import { isGentle } from "./bash-gentle.ts";
import { promptHint } from "./bash-prompt.ts";
import { type CommandPlan, type CommandRun, runCommand } from "./bash-run.ts";
import { inSandbox, sandboxNote } from "./bash-sandbox.ts";
import { runInTerminal } from "./bash-terminal.ts";
import { defineTool, type Tool, type ToolContext, type ToolResult } from "./tool.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 3_600_000;
const MAX_COMMAND_LENGTH = 100_000;
const MAX_TITLE_LENGTH = 120;
const MAX_RECIPE_BYTES = 256 * 1024;

type Analyze = typeof analyzeCommand;

const bashArgs = z.object({
  command: z
    .string()
    .min(1)
    .max(MAX_COMMAND_LENGTH)
    .refine((text) => !text.includes("\0"), "it holds a NUL character, which no command can"),
  description: z.string().optional().describe("What it is for, in a few words."),
  timeout_ms: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT_MS)
    .optional()
    .describe("Default 120,000 ms, at most 3,600,000 (one hour)."),
  background: z
    .boolean()
    .optional()
    .describe("Start it and go on, for servers and watchers. It ends with the session."),
});

/** `analyze` says what a command line would really run. */
export function createBash(analyze: Analyze): Tool {
  return defineTool({
    name: "bash",
    kind: "execute",
    description:
      "Run a bash command line in the working directory; nothing is kept between calls but files. There is no terminal and stdin is empty, so answer questions by flags. Output over 30 kB is cut in the middle, and all of it is in a file. Prefer read_file, list_files, glob, grep and edit_file to their commands, and iac_plan and iac_apply to terraform plan and apply.",
    args: bashArgs,
    open: async ({ command, timeout_ms: timeoutMs, background }, { cwd }) => {
      const env = commandEnvironment(process.env);
      const analysis = await analyze(command, { cwd, env, readRecipe });
      const gentle = isGentle(command, analysis);
      if (gentle && background)
        return "background: a command that changes infrastructure does not run in the background. Run it without.";
      const plan: CommandPlan = {
        command,
        cwd,
        env,
        timeoutMs: timeoutMs ?? DEFAULT_TIMEOUT_MS,
        isGentle: gentle,
      };
      return {
        title: titleOf(command),
        access: {
          type: "command",
          command,
          cwd: { path: cwd, realPath: await realPathOr(cwd) },
          analysis,
        },
        preview: async () => ({ ok: true, content: [commandContent(command)] }),
        execute: async (context) => {
          const caged = await inSandbox(plan, analysis, context);
          if (typeof caged === "string") return failed(caged);
          return background ? startInBackground(caged, context) : execute(caged, analysis, context);
        },
      };
    },
  });
}

export const bash = createBash(analyzeCommand);

function titleOf(command: string): string {
  const line = escapeInvisible(command.trim().replaceAll(/\s+/g, " "), "");
  const title = truncateAtGrapheme(line, MAX_TITLE_LENGTH);
  return title.length < line.length ? `${title}…` : title;
}

function commandContent(command: string): { readonly type: "text"; readonly text: string } {
  return { type: "text", text: fence(escapeInvisible(command), "sh") };
}

async function realPathOr(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // The folder was removed; starting the command will say so.
    return path;
  }
}

/** What a Makefile, a package.json or a script says it runs. Only regular files of a sane size are read. */
async function readRecipe(path: string): Promise<string | undefined> {
  try {
    if (!(await Bun.file(path).stat()).isFile()) return undefined;
    await using file = await open(path, "r");
    const { size } = await file.stat();
    return size > MAX_RECIPE_BYTES ? undefined : await file.readFile("utf8");
  } catch {
    // Not there or not readable: what it would run stays unknown, and unknown asks.
    return undefined;
  }
}

async function execute(
  plan: CommandPlan,
  analysis: CommandAnalysis,
  context: ToolContext,
): Promise<ToolResult> {
  if (context.signal.aborted) return cancelled();
  const isForClient =
    !plan.isGentle &&
    analysis.class !== "mutate" &&
    analysis.class !== "destroy" &&
    context.settings.sandbox !== "require";
  if (context.terminal && isForClient) {
    const run = await runInTerminal(plan, context.terminal, context);
    if (run) {
      const { terminalId } = run;
      return { ...answer(plan, run), content: [{ type: "terminal", terminalId }] };
    }
    if (context.signal.aborted) return cancelled();
  }
  return answer(plan, await runCommand(plan, context));
}

function answer(plan: CommandPlan, run: CommandRun): ToolResult {
  const { end, output, logPath } = run;
  const notes = endNotes(plan, run);
  const isOk = end.type === "exited" && end.exit.exitCode === 0;
  if (!isOk && end.type !== "cancelled") {
    const hint = promptHint(plan.command, output);
    if (hint) notes.push(hint);
    const note = sandboxNote(plan);
    if (note !== undefined) notes.push(note);
  }
  if (logPath !== undefined && !(end.type === "cancelled" && end.goesOn))
    notes.push(`The whole output is in ${logPath}.`);
  const body = output.trim() === "" ? "(no output)" : output.trimEnd();
  const noteText = notes.map((note) => `[${note}]`).join("\n");
  return {
    ok: isOk,
    text: noteText === "" ? body : `${body}\n${noteText}`,
    content: [
      { type: "text", text: noteText === "" ? fence(body) : `${fence(body)}\n${noteText}` },
    ],
    rawOutput: {
      end: end.type,
      ...(end.type === "exited" ? end.exit : {}),
      ...(logPath === undefined ? {} : { logPath }),
    },
  };
}

function endNotes({ timeoutMs }: CommandPlan, { end, logPath }: CommandRun): string[] {
  switch (end.type) {
    case "exited": {
      const notes: string[] = [];
      const { exitCode, signal } = end.exit;
      if (signal !== undefined) notes.push(`Ended by signal ${signal}.`);
      else if (exitCode !== 0) notes.push(`Exit code ${exitCode ?? "unknown"}.`);
      if (end.leftBehind.length > 0)
        notes.push(
          `It left processes running (pid ${end.leftBehind.join(", ")}); they end with the session. Use background for such commands.`,
        );
      return notes;
    }
    case "timed_out":
      return [
        `Stopped after its time limit of ${timeoutMs.toLocaleString("en")} ms. Give a longer timeout_ms, or background for a command that does not end. If it waited for an answer, give it by a flag.`,
      ];
    case "cancelled":
      return [
        end.goesOn
          ? `Cancelled. The command was asked to stop (one SIGINT) and has up to 10 minutes to write its state; its output goes on in ${logPath ?? "its file"}.`
          : "Cancelled.",
      ];
    case "not_started":
      return [`The command could not be run: ${end.reason}.`];
  }
}
