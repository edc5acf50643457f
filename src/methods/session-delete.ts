// session/delete: gone from disk. Deleting what is not there is no fault.

import { sessionIdParams } from "../protocol/params.ts";
import { defineMethod } from "./method.ts";

export const sessionDelete = defineMethod({
  name: "session/delete",
  share: { type: "session", name: "delete" },
  params: sessionIdParams,
  handle: async ({ sessionId }, _context, { sessions }) => {
    await sessions.delete(sessionId);
  },
});
