// What a person sees while nothing else happens: one line on stderr that turns and counts the seconds. It is there only
// on a terminal with colours, only after half a second, and is cleared before anything else is written.

import { cutEnd } from "./width.ts";

export type Spinner = Disposable & {
  /** Says what is waited for; the line appears after 500 ms without `rest`. */
  readonly wait: (label: string) => void;
  /** Clears the line. Before every other output. */
  readonly rest: () => void;
};

type SpinnerOptions = {
  readonly write: (text: string) => void;
  readonly columns: () => number;
};

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SHOWN_AFTER_MS = 500;
const FRAME_MS = 100;
/** Back to the first column, line erased. */
const CLEAR = "\r\u001b[2K";

/** A spinner that never shows anything. */
export const NO_SPINNER: Spinner = {
  wait: () => undefined,
  rest: () => undefined,
  [Symbol.dispose]: () => undefined,
};

export function createSpinner({ write, columns }: SpinnerOptions): Spinner {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isShown = false;
  const rest = () => {
    clearTimeout(timer);
    timer = undefined;
    if (isShown) write(CLEAR);
    isShown = false;
  };
  return {
    wait: (label) => {
      rest();
      const started = performance.now();
      let frame = 0;
      const draw = () => {
        const seconds = Math.floor((performance.now() - started) / 1_000);
        const count = seconds < 1 ? "" : ` ${seconds} s`;
        const turning = FRAMES[(frame += 1) % FRAMES.length] ?? "";
        // One column stays free: a full line would wrap and leave its rest behind.
        const room = columns() - 3 - count.length;
        write(`${CLEAR}${turning} ${cutEnd(label, room)}${count}`);
        isShown = true;
        timer = setTimeout(draw, FRAME_MS);
      };
      timer = setTimeout(draw, SHOWN_AFTER_MS);
    },
    rest,
    [Symbol.dispose]: rest,
  };
}
