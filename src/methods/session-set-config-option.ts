// session/set_config_option (and config/set): mode, model, thought_level.
// https://agentclientprotocol.com/protocol/session-config-options

import { setConfigOptionParams } from "../protocol/params.ts";
import { configOptions, mustBeKnown } from "../sessions/session-state.ts";
import { defineMethod } from "./method.ts";

export const sessionSetConfigOption = defineMethod({
  name: "session/set_config_option",
  aliases: ["config/set"],
  params: setConfigOptionParams,
  handle: async ({ sessionId, configId, value }, { client }, { sessions, models }) => {
    const session = await sessions.mustFind(sessionId, client);
    const known = configOptions(session.choices(), models).map((option) => option.id);
    switch (mustBeKnown("configId", configId, known)) {
      case "mode":
        await session.setMode(value, "value");
        break;
      case "model":
        await session.setModel(value, "value");
        break;
      default:
        await session.setThoughtLevel(value);
    }
    return { configOptions: configOptions(session.choices(), models) };
  },
});
