// session/close: cancels the turn and frees the session; its history stays. Closing what is not there is no fault.

import { sessionIdParams } from "../protocol/params.ts";
import { defineMethod } from "./method.ts";

export const sessionClose = defineMethod({
  name: "session/close",
  share: { type: "session", name: "close" },
  params: sessionIdParams,
  handle: async ({ sessionId }, { client }, { sessions }) => {
    if (sessions.find(sessionId, client) !== undefined) await sessions.close(sessionId);
    else sessions.forget(sessionId, client);
  },
});
