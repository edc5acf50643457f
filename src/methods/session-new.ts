// session/new: a new stored session. https://agentclientprotocol.com/protocol/session-setup#creating-a-session

import { newSessionParams, parseMcpServers } from "../protocol/params.ts";
import { stateAnswer } from "../sessions/session-state.ts";
import { defineMethod } from "./method.ts";
import { openPlace } from "./place.ts";

export const sessionNew = defineMethod({
  name: "session/new",
  params: newSessionParams,
  handle: async (
    { cwd, mcpServers, additionalDirectories },
    { client, signal, afterResponse, holdSession },
    { sessions, models },
  ) => {
    const servers = parseMcpServers(mcpServers);
    const place = await openPlace(cwd, additionalDirectories, servers);
    await models.ready(signal);
    const session = await sessions.create(place, client);
    holdSession(session.id);
    afterResponse(() => void session.announceCommands());
    return { sessionId: session.id, ...stateAnswer(session.choices(), models) };
  },
});
