// A request's signal aborts both when the client takes the request back and when its connection is gone. A turn goes on
// without its client, so only the first may end it.

import type { ClientPort } from "../dispatch/client-port.ts";

export function takenBack(signal: AbortSignal, client: ClientPort): AbortSignal {
  const controller = new AbortController();
  const forward = () => {
    if (!client.closed.aborted) controller.abort();
  };
  if (signal.aborted) forward();
  else signal.addEventListener("abort", forward, { once: true });
  return controller.signal;
}
