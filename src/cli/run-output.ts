// What `run` shows: the answer on stdout as it streams, tool calls, diffs and questions on stderr.

import type {
  RequestPermissionRequest,
  SessionUpdate,
  ToolCallContent,
} from "@agentclientprotocol/sdk/unstable";
import { escapeInvisible } from "../lib/text.ts";
import { askOnTerminal } from "./ask.ts";
import { createPaint } from "./paint.ts";
import { diffLines } from "./line-diff.ts";

export type Output = {
  readonly show: (update: SessionUpdate) => Promise<void>;
  /** The chosen option's id; `undefined` when the person ended the turn instead. */
  readonly ask: (
    question: RequestPermissionRequest,
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  /** Calls that failed because a rule or mode denied them without a question. */
  readonly deniedByPolicy: () => number;
  readonly end: () => Promise<void>;
};

type OutputOptions = {
  readonly isJson: boolean;
  readonly isInteractive: boolean;
  readonly cwd: string;
};

const MAX_SHOWN_LINES = 40;

/** Writes and waits until the pipe took it, so that a slow reader slows us down instead of filling memory. */
function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (stream.write(text)) resolve();
    else stream.once("drain", () => resolve());
  });
}

export function createOutput({ isJson, isInteractive, cwd }: OutputOptions): Output {
  const paint = createPaint(process.stderr);
  let isMidLine = false;
  let denied = 0;
  const titles = new Map<string, string>();
  const asked = new Set<string>();

  const note = async (text: string): Promise<void> => {
    if (isMidLine) await write(process.stdout, "\n");
    isMidLine = false;
    await write(process.stderr, `${escapeInvisible(text, "\n\t\u001b")}\n`);
  };
  const say = async (text: string): Promise<void> => {
    await write(process.stdout, text);
    isMidLine = !text.endsWith("\n");
  };
  const showContent = async (content: readonly ToolCallContent[]): Promise<void> => {
    for (const item of content) {
      if (item.type === "diff")
        await note(
          diffLines(item, cwd, paint)
            .slice(0, MAX_SHOWN_LINES * 4)
            .join("\n"),
        );
      if (item.type === "content" && item.content.type === "text") {
        const lines = item.content.text.split("\n");
        const more =
          lines.length > MAX_SHOWN_LINES ? [`… ${lines.length - MAX_SHOWN_LINES} more lines`] : [];
        await note(
          [...lines.slice(0, MAX_SHOWN_LINES), ...more]
            .map((line) => `    ${paint.dim(line)}`)
            .join("\n"),
        );
      }
    }
  };

  const showUpdate = async (update: SessionUpdate): Promise<void> => {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        if (update.content.type === "text") await say(update.content.text);
        return;
      case "agent_thought_chunk":
        if (update.content.type === "text") await note(paint.dim(update.content.text.trimEnd()));
        return;
      case "tool_call":
        titles.set(update.toolCallId, update.title);
        await note(`${paint.cyan("●")} ${update.title}`);
        return;
      case "tool_call_update": {
        if (update.status !== "completed" && update.status !== "failed") return;
        const title = titles.get(update.toolCallId) ?? update.toolCallId;
        if (update.status === "completed") {
          await note(`${paint.green("✔")} ${title}`);
          return;
        }
        await note(`${paint.red("✘")} ${title}`);
        await showContent(update.content ?? []);
        if (
          !asked.has(update.toolCallId) &&
          String(update.rawOutput).startsWith("Permission denied.")
        )
          denied += 1;
        return;
      }
      default:
    }
  };

  return {
    show: async (update) => {
      if (isJson) await write(process.stdout, `${JSON.stringify(update)}\n`);
      else await showUpdate(update);
    },
    ask: async (question, signal) => {
      const { toolCall, options } = question;
      asked.add(toolCall.toolCallId);
      const title = toolCall.title ?? "a tool";
      if (!isInteractive) {
        await note(
          `${paint.yellow("?")} ${title}: denied, since nobody is there to ask (no terminal)`,
        );
        return options.find(({ kind }) => kind === "reject_once")?.optionId;
      }
      await note(`${paint.yellow("?")} ${paint.bold(title)}`);
      await showContent(toolCall.content ?? []);
      return askOnTerminal(options, paint, signal);
    },
    deniedByPolicy: () => denied,
    end: async () => {
      if (isMidLine) await write(process.stdout, "\n");
    },
  };
}
