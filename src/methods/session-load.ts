// session/load: the whole conversation again, then the answer. https://agentclientprotocol.com/protocol/session-setup#loading-sessions

import { existingSessionParams, parseMcpServers } from "../protocol/params.ts";
import { stateAnswer } from "../sessions/session-state.ts";
import { openStored } from "./open-stored.ts";
import { defineMethod } from "./method.ts";

export const sessionLoad = defineMethod({
  name: "session/load",
  share: { type: "load" },
  params: existingSessionParams,
  handle: async (params, { client, signal, afterResponse, holdSession }, { sessions, models }) => {
    const mcpServers = parseMcpServers(params.mcpServers);
    await models.ready(signal);
    const session = await openStored({ ...params, mcpServers }, client, sessions);
    holdSession(session.id);
    await sessions.replayTo(session, client);
    afterResponse(() => void session.announceCommands());
    return stateAnswer(session.choices(), models);
  },
});
