// iac-code models: what can be used now, where each comes from, which one is current; on request what the endpoints list.

import { OFFLINE, mergeListed } from "../agent/create-catalog.ts";
import type { ModelOption } from "../agent/model-catalog.ts";
import { EXIT, defineCli } from "./command.ts";
import { type OpenedCatalog, openCatalog, openEndpoint } from "./open-catalog.ts";
import { toTable } from "./table.ts";

const LIST_LIMIT_MS = 15_000;

type Row = ModelOption & { readonly isListed: boolean };

/** What each endpoint lists, merged with what is known; the reasons of those that did not answer. */
async function askEndpoints(
  { catalog }: OpenedCatalog,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly Row[]; readonly faults: readonly string[] }> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIST_LIMIT_MS)]);
  const faults: string[] = [];
  const lists = await Promise.all(
    catalog.endpoints().map(async (endpoint) => {
      try {
        const listed = await (await openEndpoint(endpoint)).listModels(limit);
        return mergeListed(endpoint, listed).map((option) => ({ ...option, isListed: true }));
      } catch (error) {
        // One endpoint that is down says nothing against the others; listModels rejects in words for a person.
        faults.push(error instanceof Error ? error.message : String(error));
        return [];
      }
    }),
  );
  return { rows: lists.flat(), faults };
}

export const models = defineCli({
  name: "models",
  summary: "list the models that can be used now and where each comes from",
  details:
    '--ask asks each endpoint what it lists. The current one is marked with *; IACCODE_MODEL or "model" in config.json chooses another.',
  args: {
    ask: { type: "boolean", default: false, description: "ask the endpoints what they list" },
    json: { type: "boolean", default: false, description: "write JSON" },
  },
  run: async (args, signal) => {
    const opened = await openCatalog(process.env, signal);
    const { catalog, warnings, errors } = opened;
    const { rows: listed, faults } =
      args["ask"] === true ? await askEndpoints(opened, signal) : { rows: [], faults: [] };
    const ids = new Set(listed.map(({ id }) => id));
    const known = catalog.options().map((option) => ({ ...option, isListed: ids.has(option.id) }));
    const knownIds = new Set(known.map(({ id }) => id));
    const all: readonly Row[] = [
      ...known.filter(({ id }) => id !== OFFLINE.id),
      ...listed.filter(({ id }) => !knownIds.has(id)),
      ...known.filter(({ id }) => id === OFFLINE.id),
    ];
    const current = catalog.fallback().id;
    if (args["json"] === true) {
      const shown = all.map((row) => ({ ...row, isCurrent: row.id === current }));
      process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
    } else {
      const rows = all.map(({ id, description, contextWindow, isListed }) => [
        `${id === current ? "*" : " "} ${id}`,
        description ?? "",
        `${contextWindow} tokens`,
        isListed ? "listed" : "",
      ]);
      process.stdout.write(toTable(rows));
    }
    const missing = catalog.missing();
    for (const line of [
      ...errors,
      ...warnings,
      ...faults,
      ...(missing === undefined ? [] : [missing]),
    ])
      process.stderr.write(`${line}\n`);
    return faults.length > 0 ? EXIT.error : EXIT.ok;
  },
});
