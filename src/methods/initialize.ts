// initialize: answers before any database or network work. https://agentclientprotocol.com/protocol/initialization

import type { AuthMethod } from "@agentclientprotocol/sdk/unstable";
import {
  type ClientAbilities,
  PROTOCOL_VERSION,
  agentCapabilities,
  readClientCapabilities,
} from "../protocol/capabilities.ts";
import { invalidParams } from "../protocol/errors.ts";
import { initializeParams } from "../protocol/params.ts";
import { defineMethod } from "./method.ts";
import type { Services } from "./services.ts";

/** The method that re-reads configuration; a person sets a key by any means, then the client calls it. */
export const AGENT_AUTH_METHOD = "configuration";

function authMethods(abilities: ClientAbilities, { models }: Services): AuthMethod[] {
  if (models.missing() === undefined) return [];
  const agent: AuthMethod = {
    id: AGENT_AUTH_METHOD,
    name: "Use configuration",
    description:
      "Reads the environment and ~/.iac-code/config.json again, after you set a model's key there",
  };
  const login: AuthMethod = {
    id: "login",
    name: "Log in",
    description: "Choose a provider and enter its key",
    type: "terminal",
    args: ["login"],
  };
  return abilities.authTerminal ? [login, agent] : [agent];
}

export const initialize = defineMethod({
  name: "initialize",
  params: initializeParams,
  handle: ({ protocolVersion, clientCapabilities }, context, services) => {
    if (protocolVersion < 1) throw invalidParams({ protocolVersion: "must be 1 or higher" });
    const abilities = readClientCapabilities(clientCapabilities);
    context.initialized(abilities);
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "iac-code", title: "iac-code", version: services.version },
      agentCapabilities: agentCapabilities(context.shares),
      authMethods: authMethods(abilities, services),
    };
  },
});
