// session/list (and sessions/list): stored sessions with at least one prompt, newest first.

import { invalidParams } from "../protocol/errors.ts";
import { listSessionsParams } from "../protocol/params.ts";
import { defineMethod } from "./method.ts";

const PAGE_SIZE = 50;

export const sessionList = defineMethod({
  name: "session/list",
  aliases: ["sessions/list"],
  share: { type: "session", name: "list" },
  params: listSessionsParams,
  handle: async ({ cwd, cursor }, _context, { sessions }) => {
    const page = await sessions.environment.store.listSessions({
      limit: PAGE_SIZE,
      ...(typeof cwd === "string" ? { cwd } : {}),
      ...(typeof cursor === "string" ? { cursor } : {}),
    });
    if (!page.ok)
      throw invalidParams({ cursor: "is not a cursor of this list; start again without one" });
    return {
      sessions: page.sessions.map(({ id, cwd: own, title, updatedAt, additionalDirectories }) => ({
        sessionId: id,
        cwd: own,
        ...(title === undefined ? {} : { title }),
        updatedAt: new Date(updatedAt).toISOString(),
        ...(additionalDirectories.length === 0 ? {} : { additionalDirectories }),
      })),
      ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
    };
  },
});
