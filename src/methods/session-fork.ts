// session/fork: a new session with the same history up to its last complete exchange; both go on independently.

import { existingSessionParams, parseMcpServers } from "../protocol/params.ts";
import { stateAnswer } from "../sessions/session-state.ts";
import { toSessionId } from "../lib/ids.ts";
import { defineMethod } from "./method.ts";
import { openPlace } from "./place.ts";

export const sessionFork = defineMethod({
  name: "session/fork",
  share: { type: "session", name: "fork" },
  params: existingSessionParams,
  handle: async (
    { sessionId, cwd, mcpServers, additionalDirectories },
    { client, signal, afterResponse, holdSession },
    { sessions, models },
  ) => {
    const servers = parseMcpServers(mcpServers);
    await sessions.mustBeStored(sessionId);
    const place = await openPlace(cwd, additionalDirectories, servers);
    await models.ready(signal);
    const session = await sessions.fork(toSessionId(sessionId), place, client);
    holdSession(session.id);
    afterResponse(() => void session.announceCommands());
    return { sessionId: session.id, ...stateAnswer(session.choices(), models) };
  },
});
