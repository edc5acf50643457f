// A session's secret firewall: masks what leaves, restores what is written, and learns the machine's own secrets.

import type { DurableEvent } from "../conversation/events.ts";
import type { JsonValue } from "../lib/json.ts";
import { harvestEnvironment, harvestFiles } from "../secrets/harvest.ts";
import { createMasker } from "../secrets/mask.ts";
import type { Level } from "../secrets/spans.ts";
import type { SessionMasker } from "./environment.ts";
import { findSecretFiles } from "./secret-files.ts";

export type MaskerParts = {
  readonly cwd: string;
  readonly level: Level;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Fields with names of ours, in which no secret can stand; masking them could only break the link between two entries. */
const ID_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "messageId",
  "toolCallId",
  "id",
  "status",
  "outcome",
  "stopReason",
  "modeId",
  "modelId",
  "model",
]);

export function createSessionMasker({ cwd, level, env }: MaskerParts): SessionMasker {
  const masker = createMasker({ level });
  const harvested = new Map<string, string>();
  let isEnvironmentKnown = false;

  const maskValue = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return masker.mask(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item: JsonValue) => maskValue(item));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        ID_FIELDS.has(key) && typeof item === "string" ? item : maskField(key, item),
      ]),
    );
  };
  /** What a tool was given or returned has keys that say what is secret; our own fields do not. */
  const maskField = (key: string, value: JsonValue): JsonValue =>
    key === "rawInput" || key === "rawOutput" ? masker.maskJson(value) : maskValue(value);

  return {
    mask: (text, hint) => masker.mask(text, hint),
    unmask: masker.unmask,
    unresolved: masker.unresolved,
    maskEvent: <T extends DurableEvent>(event: T): T =>
      level === "off" ? event : (maskValue(event as JsonValue) as T),
    reserve: masker.reserve,
    learn: (values) => masker.addKnown(harvestEnvironment(values)),
    harvest: async (signal) => {
      if (level === "off") return;
      if (!isEnvironmentKnown) masker.addKnown(harvestEnvironment(env));
      isEnvironmentKnown = true;
      const files = await findSecretFiles(cwd, env["HOME"], signal);
      const changed = files.filter(({ path, stamp }) => harvested.get(path) !== stamp);
      masker.addKnown(
        await harvestFiles(
          changed.map(({ path }) => path),
          signal,
        ),
      );
      for (const { path, stamp } of changed) harvested.set(path, stamp);
    },
  };
}
