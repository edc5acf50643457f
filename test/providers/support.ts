// What provider tests share: an endpoint, a request, dependencies that record waits instead of making them.

import type { Message } from "../../src/conversation/messages.ts";
import type { ProviderDeps } from "../../src/providers/engine.ts";
import type { Endpoint, ModelEvent, ModelRequest, ToolSpec } from "../../src/providers/provider.ts";

export const BASH: ToolSpec = {
  name: "bash",
  description: "Runs a command.",
  parameters: {
    type: "object",
    properties: { command: { type: "string" } },
    required: ["command"],
  },
};

export const USER: readonly Message[] = [
  { role: "system", text: "You help." },
  { role: "user", text: "hi" },
];

export const requestOf = (changes: Partial<ModelRequest> = {}): ModelRequest => ({
  model: "fake-model",
  messages: USER,
  tools: [BASH],
  cwd: "/",
  ...changes,
});

export const endpointAt = (baseUrl: string, changes: Partial<Endpoint> = {}): Endpoint => ({
  provider: "fake",
  baseUrl,
  apiKey: "fake-key-0123456789abcdef",
  api: "chat",
  source: "FAKE_API_KEY",
  quirks: {},
  ...changes,
});

/** The clock stands at the start of 2026 for dates; waits are recorded and take no time. */
export function depsFor(): ProviderDeps & { readonly waits: readonly number[] } {
  const waits: number[] = [];
  const start = Date.parse("2026-01-01T00:00:00Z") - performance.now();
  return {
    now: () => Math.floor((start + performance.now()) / 1000) * 1000,
    random: () => 0,
    sleep: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
    limits: { firstByteMs: 300, idleMs: 200, finishGraceMs: 50, retryBaseMs: 1 },
    waits,
  };
}

export async function collect(
  events: AsyncIterable<ModelEvent>,
  onEvent?: () => void,
): Promise<ModelEvent[]> {
  const list: ModelEvent[] = [];
  for await (const event of events) {
    list.push(event);
    onEvent?.();
  }
  return list;
}
