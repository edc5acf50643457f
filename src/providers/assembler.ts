// What the shared engine asks of each API's assembler: chunks in, events out, one outcome at the end. Types only.

import type { ModelEvent } from "./provider.ts";

export type DeltaEvent = Extract<
  ModelEvent,
  { type: "text_delta" | "thought_delta" | "tool_call_started" }
>;

/** What the `done` event will say. */
type Finished = Omit<Extract<ModelEvent, { type: "done" }>, "type">;

export type Outcome =
  | ({ readonly type: "complete" } & Finished)
  /** The stream ended before the response did, or the endpoint said that it broke off. */
  | { readonly type: "broken"; readonly reason?: string };

export type Assembler = {
  /** One JSON object of the stream, or a whole answer. */
  readonly push: (chunk: Readonly<Record<string, unknown>>) => readonly DeltaEvent[];
  /** `complete`: usage may still follow; `ended`: nothing that follows counts. */
  readonly state: () => "open" | "complete" | "ended";
  /** `sawDone`: the endpoint itself marked the end of the stream. */
  readonly end: (sawDone: boolean) => {
    readonly events: readonly DeltaEvent[];
    readonly outcome: Outcome;
  };
};
