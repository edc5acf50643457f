// session/cancel: stops the running turn and every waiting one; once more, an apply that still stops. Unknown or idle
// sessions: silence.
// https://agentclientprotocol.com/protocol/prompt-turn#cancellation

import { sessionIdParams } from "../protocol/params.ts";
import { defineMethod } from "./method.ts";

export const sessionCancel = defineMethod({
  name: "session/cancel",
  kind: "notification",
  params: sessionIdParams,
  handle: ({ sessionId }, { client }, { sessions }) => {
    sessions.find(sessionId, client)?.cancelByUser();
  },
});
