// session/set_model: the model switch of clients that know no config options.

import { setModelParams } from "../protocol/params.ts";
import { defineMethod } from "./method.ts";

export const sessionSetModel = defineMethod({
  name: "session/set_model",
  params: setModelParams,
  handle: async ({ sessionId, modelId }, { client }, { sessions }) => {
    const session = await sessions.mustFind(sessionId, client);
    await session.setModel(modelId);
  },
});
