// One small request to a model, to learn whether address, key, credit and model are right before work depends on them.

import type { Provider } from "../providers/provider.ts";

/** Some endpoints refuse less; a model that thinks may spend it all on that, which is as good an answer. Tokens. */
const MAX_OUTPUT_TOKENS = 16;
/** A local server may have to load the model first. */
const TRY_LIMIT_MS = 90_000;

export type Trial =
  | { readonly ok: true; readonly ms: number }
  /** For a person, with the next step; never holds the key. */
  | { readonly ok: false; readonly message: string };

/** Never rejects. `onNotice` hears of waits and retries. */
export async function tryModel(
  provider: Provider,
  model: string,
  { signal, onNotice }: { readonly signal: AbortSignal; readonly onNotice: (text: string) => void },
): Promise<Trial> {
  const started = performance.now();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TRY_LIMIT_MS)]);
  const request = {
    model,
    messages: [
      { role: "system", text: "You answer in one word." },
      { role: "user", text: "Say: ok" },
    ],
    tools: [],
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    cwd: "/",
  } as const;
  for await (const event of provider.stream(request, limit)) {
    if (event.type === "notice") onNotice(event.text);
    if (event.type === "done") return { ok: true, ms: Math.round(performance.now() - started) };
    if (event.type === "failed") return { ok: false, message: event.failure.message };
  }
  return {
    ok: false,
    message: signal.aborted
      ? "Cancelled."
      : `${provider.name} did not answer within ${TRY_LIMIT_MS / 1000} s. Check the server.`,
  };
}
