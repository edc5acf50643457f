// initialize: answers before any database or network work. https://agentclientprotocol.com/protocol/initialization

import type { AuthMethod, InitializeResponse } from "@agentclientprotocol/sdk/unstable";
import {
  type CapabilityShare,
  type ClientAbilities,
  PROTOCOL_VERSION,
  agentCapabilities,
  readClientCapabilities,
} from "../protocol/capabilities.ts";
import { invalidParams } from "../protocol/errors.ts";
import { initializeParams, noParams, parseParams } from "../protocol/params.ts";
import { defineMethod } from "./method.ts";
import type { Services } from "./services.ts";

/** The method that re-reads configuration; a person sets a key by any means, then the client calls it. */
export const AGENT_AUTH_METHOD = "configuration";

type InitializeParts = Pick<Services, "version" | "models"> & {
  readonly shares: readonly CapabilityShare[];
};

function authMethods(abilities: ClientAbilities, { models }: InitializeParts): AuthMethod[] {
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

/** The answer, and what the client told of itself. Throws -32602 naming the field. */
export function answerInitialize(
  raw: unknown,
  parts: InitializeParts,
): { readonly result: InitializeResponse; readonly abilities: ClientAbilities } {
  const { protocolVersion, clientCapabilities } = parseParams(initializeParams(), raw);
  if (protocolVersion < 1) throw invalidParams({ protocolVersion: "must be 1 or higher" });
  const abilities = readClientCapabilities(clientCapabilities);
  const result = {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "iac-code", title: "iac-code", version: parts.version },
    agentCapabilities: agentCapabilities(parts.shares),
    authMethods: authMethods(abilities, parts),
  };
  return { result, abilities };
}

export const initialize = defineMethod({
  name: "initialize",
  params: noParams,
  handle: (params, context, { version, models }) => {
    const { shares } = context;
    const { result, abilities } = answerInitialize(params, { version, models, shares });
    context.initialized(abilities);
    return result;
  },
});
