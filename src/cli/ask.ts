// The permission question on a terminal: one key. The terminal is in raw mode only while the question is open.

import type { PermissionOption } from "@agentclientprotocol/sdk/unstable";
import { escapeInvisible } from "../lib/text.ts";
import type { Paint } from "./paint.ts";

const LETTERS: Readonly<Record<PermissionOption["kind"], string>> = {
  allow_once: "y",
  allow_always: "a",
  reject_once: "n",
  reject_always: "v",
};
/** What was typed before the question could be read answers nothing: it is thrown away for this long. */
const TYPED_AHEAD_MS = 150;
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const ESCAPE = "\u001b";

/** A letter by the kind of the option; numbers where several are of one kind, as the answers to a question are. */
function toChoices(options: readonly PermissionOption[]): readonly Choice[] {
  const isPlain = new Set(options.map(({ kind }) => kind)).size === options.length;
  return options.map((option, index) => ({
    option,
    // One key each: 1 to 9, then a to z.
    letter: isPlain ? LETTERS[option.kind] : (index + 1).toString(36),
  }));
}

type Choice = { readonly letter: string; readonly option: PermissionOption };

/** Calls `onKeys` with what is typed, in raw mode, until disposed; `onEnd` when the terminal goes away. */
function listen(onKeys: (keys: string) => void, onEnd: () => void): Disposable {
  const { stdin } = process;
  const onData = (data: Buffer) => onKeys(data.toString("utf8"));
  stdin.setRawMode(true);
  stdin.on("data", onData);
  stdin.on("end", onEnd);
  stdin.resume();
  return {
    [Symbol.dispose]: () => {
      stdin.off("data", onData);
      stdin.off("end", onEnd);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
}

/** The choice whose key was pressed, or "stop". Raw mode makes no signal of Ctrl-C; it is sent, so that it means the same. */
async function readChoice(
  choices: readonly Choice[],
  invite: () => void,
  signal: AbortSignal,
): Promise<Choice | "stop"> {
  const { promise, resolve } = Promise.withResolvers<Choice | "stop">();
  const stop = () => resolve("stop");
  let isOpen = false;
  const onKeys = (keys: string): void => {
    if (keys.includes(CTRL_C)) {
      process.kill(process.pid, "SIGINT");
      return stop();
    }
    if (!isOpen) return;
    if (keys === ESCAPE || keys === CTRL_D) return stop();
    // More than one key at once is a paste or an arrow key, and no answer.
    const key = keys.replace(/[\r\n]+$/, "").toLowerCase();
    const chosen = choices.find(({ letter }) => letter === key);
    if (chosen === undefined) invite();
    else resolve(chosen);
  };
  const opening = setTimeout(() => {
    isOpen = true;
    invite();
  }, TYPED_AHEAD_MS);
  using _keys = listen(onKeys, stop);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await promise;
  } finally {
    clearTimeout(opening);
    signal.removeEventListener("abort", stop);
  }
}

/** The id of the chosen option; `undefined` when the person stopped the turn, the signal aborted or the terminal went away. */
export async function askOnTerminal(
  options: readonly PermissionOption[],
  paint: Paint,
  signal: AbortSignal,
): Promise<string | undefined> {
  const choices = toChoices(options);
  const { stderr } = process;
  for (const { letter, option } of choices)
    stderr.write(`  [${paint.bold(letter)}] ${escapeInvisible(option.name, "")}\n`);
  const letters = choices.map(({ letter }) => letter).join(", ");
  let isInvited = false;
  const invite = () => {
    // Asked again on a line of its own, when a key meant nothing.
    stderr.write(`${isInvited ? "\n" : ""}  ${letters}, or Esc to stop: `);
    isInvited = true;
  };
  const chosen = await readChoice(choices, invite, signal);
  stderr.write(chosen === "stop" ? `${paint.yellow("stopped")}\n` : `${chosen.letter}\n`);
  return chosen === "stop" ? undefined : chosen.option.optionId;
}
