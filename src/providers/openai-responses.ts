// OpenAI's Responses API, without state at the endpoint.

import { createResponsesAssembler } from "./assemble-responses.ts";
import { createHttpProvider, type ProviderDeps } from "./engine.ts";
import type { Endpoint, Provider } from "./provider.ts";
import { toResponsesBody } from "./to-responses.ts";

/** Throws an Error with a readable text when the endpoint's base URL is not an http(s) address. */
export function createResponsesProvider(endpoint: Endpoint, deps: ProviderDeps): Provider {
  return createHttpProvider(endpoint, deps, {
    path: "/responses",
    toBody: toResponsesBody,
    createAssembler: createResponsesAssembler,
  });
}
