// What the methods work on.

import type { ModelCatalog } from "../agent/model-catalog.ts";
import type { LiveSessions } from "../sessions/live-sessions.ts";

export type Services = {
  readonly version: string;
  readonly sessions: LiveSessions;
  readonly models: ModelCatalog;
  /** Reads configuration and keys again; resolves with why there is still no model endpoint, if so. */
  readonly reloadModels: () => Promise<string | undefined>;
  /** Forgets every stored key. */
  readonly forgetKeys: () => Promise<void>;
};
