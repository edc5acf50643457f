// Chat completions, the API that nearly every endpoint speaks.

import { createChatAssembler } from "./assemble.ts";
import { createHttpProvider, type ProviderDeps } from "./engine.ts";
import type { Endpoint, Provider } from "./provider.ts";
import { toChatBody } from "./to-chat.ts";

/** Throws an Error with a readable text when the endpoint's base URL is not an http(s) address. */
export function createChatProvider(endpoint: Endpoint, deps: ProviderDeps): Provider {
  return createHttpProvider(endpoint, deps, {
    path: "/chat/completions",
    toBody: toChatBody,
    createAssembler: createChatAssembler,
  });
}
