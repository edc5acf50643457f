// Questions asked of the provider table: by id, by address, by model.

import { PROVIDERS } from "./provider-table.ts";
import type { KnownModel, ProviderSpec } from "./provider-table.ts";

export function findProvider(id: string): ProviderSpec | undefined {
  return PROVIDERS.find((spec) => spec.id === id);
}

/** The hosted provider that an address belongs to, however it was spelt. */
export function providerOfUrl(baseUrl: string): ProviderSpec | undefined {
  const host = URL.parse(baseUrl)?.host;
  const isAzure = host?.endsWith(".openai.azure.com") === true;
  return PROVIDERS.find(({ id, use, baseUrl: usualUrl }) =>
    usualUrl === undefined
      ? id === "azure" && isAzure
      : use !== "local" && URL.parse(usualUrl)?.host === host,
  );
}

/** What is known of a model wherever it is served: by its name, or the name behind a vendor prefix (`deepseek/deepseek-chat`). */
export function findKnownModel(id: string, preferred: readonly KnownModel[] = []): KnownModel {
  const all = [...preferred, ...PROVIDERS.flatMap(({ models }) => models)];
  const bare = id.slice(id.indexOf("/") + 1);
  const found = all.find((known) => known.id === id) ?? all.find((known) => known.id === bare);
  return found === undefined ? { id } : { ...found, id };
}
