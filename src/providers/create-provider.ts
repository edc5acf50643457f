// The one way from an endpoint's data to the provider that speaks its API.

import { createChatProvider, createResponsesProvider } from "./all.ts";
import type { ProviderDeps } from "./engine.ts";
import type { Endpoint, Provider } from "./provider.ts";

/** Throws an Error with a readable text when the endpoint's base URL is not an http(s) address. */
export function createProvider(endpoint: Endpoint, deps: ProviderDeps): Provider {
  switch (endpoint.api) {
    case "chat":
      return createChatProvider(endpoint, deps);
    case "responses":
      return createResponsesProvider(endpoint, deps);
    default:
      return endpoint.api satisfies never;
  }
}
