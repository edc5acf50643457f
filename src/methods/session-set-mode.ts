// session/set_mode: takes effect at the next step of a running turn. https://agentclientprotocol.com/protocol/session-modes

import { setModeParams } from "../protocol/params.ts";
import { defineMethod } from "./method.ts";

export const sessionSetMode = defineMethod({
  name: "session/set_mode",
  params: setModeParams,
  handle: async ({ sessionId, modeId }, { client }, { sessions }) => {
    const session = await sessions.mustFind(sessionId, client);
    await session.setMode(modeId);
  },
});
