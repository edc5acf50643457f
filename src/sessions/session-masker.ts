import type { SessionMasker } from "./environment.ts";
export function createSessionMasker(_parts: {
  readonly cwd: string;
  readonly level: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): SessionMasker {
  return { mask: (t) => t, unmask: (t) => t, maskEvent: (e) => e, harvest: async () => undefined };
}
