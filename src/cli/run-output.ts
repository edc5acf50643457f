// What `run` shows: the answer on stdout as it streams, everything else on stderr. On a terminal a wait turns a spinner, a
// tool call is one card when it has ended, and changes are asked about; in a pipe every start and end is a line.

import type { RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { escapeInvisible } from "../lib/text.ts";
import { askOnTerminal } from "./ask.ts";
import { createPaint, hasColours } from "./paint.ts";
import { createScreen } from "./screen.ts";
import { NO_SPINNER, createSpinner } from "./spinner.ts";
import {
  type CallEnd,
  type RunningCall,
  callLines,
  isDenial,
  planLines,
  questionLines,
  titleLine,
} from "./tool-card.ts";
import { columnsOf } from "./width.ts";

export type Output = Disposable & {
  readonly show: (update: SessionUpdate) => Promise<void>;
  /** The chosen option's id; `undefined` when the person ended the turn instead. */
  readonly ask: (
    question: RequestPermissionRequest,
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  /** Calls that failed because a rule or mode denied them without a question. */
  readonly deniedByPolicy: () => number;
  /** The answer ends with a line end. */
  readonly end: () => Promise<void>;
};

type OutputOptions = {
  readonly isJson: boolean;
  readonly isInteractive: boolean;
  readonly cwd: string;
};

const THINKING = "Thinking";

export function createOutput({ isJson, isInteractive, cwd }: OutputOptions): Output {
  const { stdout, stderr } = process;
  const paint = createPaint(stderr);
  const hasSpinner = !isJson && hasColours(stderr);
  const spinner = hasSpinner
    ? createSpinner({
        write: (text) => void stderr.write(text),
        columns: () => columnsOf(stderr),
      })
    : NO_SPINNER;
  const screen = createScreen(stdout, stderr, spinner);
  const running = new Map<string, RunningCall>();
  const asked = new Set<string>();
  let denied = 0;
  // One thing at a time has the terminal: nothing is written into an open question, and one key answers one question.
  let before: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = before.then(work);
    before = result.catch(() => undefined);
    return result;
  };

  const wait = (): void => {
    const titles = [...running.values()].map(({ title }) => title);
    const label = titles.length > 1 ? `${titles.length} at work: ${titles.at(-1)}` : titles[0];
    screen.wait(escapeInvisible(label ?? THINKING, ""));
  };
  const showCall = async (update: CallEnd): Promise<void> => {
    if (update.status !== "completed" && update.status !== "failed") return;
    const call = running.get(update.toolCallId);
    const wasAsked = asked.has(update.toolCallId);
    await screen.note(callLines(update, { call, wasAsked, isInteractive, cwd, paint }));
    running.delete(update.toolCallId);
    if (update.status === "failed" && isDenial(update) && !wasAsked) denied += 1;
  };
  const showUpdate = async (update: SessionUpdate): Promise<void> => {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        if (update.content.type === "text") await screen.say(update.content.text);
        break;
      case "agent_thought_chunk":
        if (update.content.type === "text") await screen.mutter(update.content.text, paint.dim);
        break;
      case "tool_call": {
        const { toolCallId, title, kind } = update;
        running.set(toolCallId, { title, kind, begun: performance.now() });
        if (!hasSpinner) await screen.note([titleLine(paint.cyan("●"), title, 0, paint)]);
        break;
      }
      case "tool_call_update":
        await showCall(update);
        break;
      case "plan":
        await screen.note(planLines(update.entries, paint));
        break;
      default:
    }
    wait();
  };

  const askPerson = async (
    { toolCall, options }: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    asked.add(toolCall.toolCallId);
    const title = toolCall.title ?? "a tool";
    if (!isInteractive) {
      const reason = `${title}: denied, since nobody is there to ask (no terminal)`;
      await screen.note([titleLine(paint.yellow("?"), reason, 0, paint)]);
      return options.find(({ kind }) => kind === "reject_once")?.optionId;
    }
    await screen.note(questionLines(title, toolCall.content ?? [], { cwd, paint }));
    const chosen = await askOnTerminal(options, paint, signal);
    wait();
    return chosen;
  };

  return {
    show: (update) =>
      inTurn(() => (isJson ? screen.line(JSON.stringify(update)) : showUpdate(update))),
    ask: (question, signal) => inTurn(() => askPerson(question, signal)),
    deniedByPolicy: () => denied,
    end: () => inTurn(screen.end),
    [Symbol.dispose]: spinner.rest,
  };
}
