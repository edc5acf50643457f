// session/resume: go on with a stored session, without its replay.

import { existingSessionParams, parseMcpServers } from "../protocol/params.ts";
import { stateAnswer } from "../sessions/session-state.ts";
import { openStored } from "./open-stored.ts";
import { defineMethod } from "./method.ts";

export const sessionResume = defineMethod({
  name: "session/resume",
  share: { type: "session", name: "resume" },
  params: existingSessionParams,
  handle: async (params, { client, signal, afterResponse, holdSession }, { sessions, models }) => {
    const mcpServers = parseMcpServers(params.mcpServers);
    await models.ready(signal);
    const session = await openStored({ ...params, mcpServers }, client, sessions);
    holdSession(session.id);
    session.attach(client);
    afterResponse(() => void session.announceCommands());
    return stateAnswer(session.choices(), models);
  },
});
