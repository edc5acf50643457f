// What we tell a client we can do, computed from the method table, and what a client told us it can do.

import type { AgentCapabilities, SessionCapabilities } from "@agentclientprotocol/sdk/unstable";
import { isRecord } from "../lib/json.ts";

export const PROTOCOL_VERSION = 1;

/** A method's own share of the capability object. */
export type CapabilityShare =
  | { readonly type: "load" }
  | { readonly type: "session"; readonly name: keyof SessionCapabilities }
  | { readonly type: "logout" };

/** Everything advertised works and everything that works is advertised: the shares come from the methods themselves. */
export function agentCapabilities(shares: readonly CapabilityShare[]): AgentCapabilities {
  const session: Record<string, object> = { additionalDirectories: {} };
  for (const share of shares) if (share.type === "session") session[share.name] = {};
  return {
    loadSession: shares.some((share) => share.type === "load"),
    promptCapabilities: { embeddedContext: true, image: false, audio: false },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: session,
    auth: shares.some((share) => share.type === "logout") ? { logout: {} } : {},
  };
}

export type ClientAbilities = {
  readonly readTextFile: boolean;
  readonly writeTextFile: boolean;
  readonly terminal: boolean;
  /** May be told to run `iac-code login` in a terminal of its own. */
  readonly authTerminal: boolean;
  readonly compactionUpdates: boolean;
  readonly elicitationForm: boolean;
};

export const NO_ABILITIES: ClientAbilities = {
  readTextFile: false,
  writeTextFile: false,
  terminal: false,
  authTerminal: false,
  compactionUpdates: false,
  elicitationForm: false,
};

/** Only `true` and present objects grant anything. */
export function readClientCapabilities(value: unknown): ClientAbilities {
  if (!isRecord(value)) return NO_ABILITIES;
  const fs = isRecord(value["fs"]) ? value["fs"] : {};
  const auth = isRecord(value["auth"]) ? value["auth"] : {};
  const session = isRecord(value["session"]) ? value["session"] : {};
  const elicitation = isRecord(value["elicitation"]) ? value["elicitation"] : {};
  return {
    readTextFile: fs["readTextFile"] === true,
    writeTextFile: fs["writeTextFile"] === true,
    terminal: value["terminal"] === true,
    authTerminal: auth["terminal"] === true || isRecord(auth["terminal"]),
    compactionUpdates: isRecord(session["compaction"]),
    elicitationForm: isRecord(elicitation["form"]),
  };
}
