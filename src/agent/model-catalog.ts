// The models a session can choose from. Made by the composition root from configuration; no network until one is opened.

import type { ThoughtLevel } from "../conversation/messages.ts";
import type { Provider } from "../providers/provider.ts";

export type ModelOption = {
  /** `provider/model`, unique and stable: what clients send back. */
  readonly id: string;
  readonly name: string;
  /** The model's name at its endpoint. */
  readonly model: string;
  readonly description?: string;
  /** Tokens. */
  readonly contextWindow: number;
  readonly maxOutputTokens?: number;
  /** Empty when the model has no such switch. */
  readonly thoughtLevels: readonly ThoughtLevel[];
};

export type ModelCatalog = {
  readonly options: () => readonly ModelOption[];
  /** The option used when a session chose none. */
  readonly fallback: () => ModelOption;
  readonly find: (id: string) => ModelOption | undefined;
  /** Loads what the endpoint needs; the same value for the same endpoint. */
  readonly open: (option: ModelOption) => Promise<Provider>;
  /** Looks once for a local model server when nothing is configured; to be awaited before a session is opened. */
  readonly ready: (signal: AbortSignal) => Promise<void>;
  /** Why there is no endpoint but the offline one; `undefined` when one is configured. */
  readonly missing: () => string | undefined;
};
