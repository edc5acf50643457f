// authenticate: reads configuration again after a person set a key. https://agentclientprotocol.com/protocol/authentication

import { authRequired, invalidParams } from "../protocol/errors.ts";
import { authenticateParams } from "../protocol/params.ts";
import { AGENT_AUTH_METHOD } from "./initialize.ts";
import { defineMethod } from "./method.ts";

export const authenticate = defineMethod({
  name: "authenticate",
  params: authenticateParams,
  handle: async ({ methodId }, _context, { reloadModels }) => {
    if (methodId !== AGENT_AUTH_METHOD)
      throw invalidParams({ methodId: `must be ${AGENT_AUTH_METHOD}` });
    const missing = await reloadModels();
    if (missing !== undefined) throw authRequired(missing);
  },
});
