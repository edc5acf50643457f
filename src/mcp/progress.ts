// What a server says while it works, as one line, at most four times a second.

import { truncateAtGrapheme } from "../lib/text.ts";

/** Contract: at most 4 updates of a running call a second. */
const INTERVAL_MS = 250;
const MAX_MESSAGE_LENGTH = 500;

export type ProgressUpdate = {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
};

function lineOf({ progress, total, message }: ProgressUpdate): string {
  const steps = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message === undefined || message === ""
    ? `Progress: ${steps}`
    : `${truncateAtGrapheme(message, MAX_MESSAGE_LENGTH)} (${steps})`;
}

/** The first update goes at once, then the latest of each interval; after disposal nothing does. */
export function progressThrottle(
  show: (text: string) => void,
): { readonly push: (update: ProgressUpdate) => void } & Disposable {
  let waiting: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    if (waiting === undefined) return;
    show(waiting);
    waiting = undefined;
    timer = setTimeout(flush, INTERVAL_MS);
  };
  return {
    push: (update) => {
      waiting = lineOf(update);
      if (timer === undefined) flush();
    },
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      waiting = undefined;
    },
  };
}
