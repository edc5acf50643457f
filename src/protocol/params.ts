// Tolerant parsers for what clients send, both dialects. Unknown members are ignored; a fault names its field.

import { z } from "zod";
import { lazily } from "../lib/lazily.ts";
import { invalidParams } from "./errors.ts";

// Zod writes and compiles a function for each schema it meets first. Most schemas here parse a handful of values in a run:
// the compiling costs a start milliseconds and saves none.
z.config({ jitless: true });

/** Parses `params` (absent counts as `{}`), or throws -32602 whose data maps each faulty field to the reason. */
export function parseParams<T>(schema: z.ZodType<T>, params: unknown): T {
  const parsed = schema.safeParse(params ?? {});
  if (parsed.success) return parsed.data;
  const faults: Record<string, string> = {};
  for (const issue of parsed.error.issues) {
    const field = issue.path.length === 0 ? "params" : issue.path.join(".");
    faults[field] ??= issue.message;
  }
  throw invalidParams(faults);
}

// Each schema is made when the first message of its kind arrives: all of them together are milliseconds of a start.
const directories = lazily(() => z.array(z.string()).nullish());

/** `[{name, value}]` as ACP has it, or a plain object as configuration files have it. */
const pairs = lazily(() =>
  z
    .union([
      z.array(z.object({ name: z.string(), value: z.string() })),
      z.record(z.string(), z.string()),
    ])
    .nullish(),
);
const mcpServer = lazily(() =>
  z.looseObject({
    name: z.string().optional(),
    type: z.string().optional(),
    command: z.string().optional(),
    args: z.array(z.string()).nullish(),
    env: pairs(),
    url: z.string().optional(),
    headers: pairs(),
  }),
);
/** ACP's array, the documents' object `{name: server}`, null or absent. */
const mcpServers = lazily(() =>
  z.union([z.array(mcpServer()), z.record(z.string(), mcpServer())]).nullish(),
);

export const initializeParams = lazily(() =>
  z.looseObject({
    protocolVersion: z.int({ error: "must be an integer, for example 1" }),
    clientCapabilities: z.looseObject({}).nullish(),
    clientInfo: z
      .looseObject({ name: z.string().optional(), version: z.string().optional() })
      .nullish(),
  }),
);
export const newSessionParams = lazily(() =>
  z.looseObject({
    cwd: z.string(),
    mcpServers: mcpServers(),
    additionalDirectories: directories(),
  }),
);
export const existingSessionParams = lazily(() =>
  newSessionParams().extend({ sessionId: z.string() }),
);
export const sessionIdParams = lazily(() => z.looseObject({ sessionId: z.string() }));
export const listSessionsParams = lazily(() =>
  z.looseObject({ cwd: z.string().nullish(), cursor: z.string().nullish() }),
);
export const promptParams = lazily(() =>
  z.looseObject({ sessionId: z.string(), prompt: z.array(z.unknown()) }),
);
export const setModeParams = lazily(() =>
  z.looseObject({ sessionId: z.string(), modeId: z.string() }),
);
export const setModelParams = lazily(() =>
  z.looseObject({ sessionId: z.string(), modelId: z.string() }),
);
export const setConfigOptionParams = lazily(() =>
  z.looseObject({ sessionId: z.string(), configId: z.string(), value: z.unknown() }),
);
export const authenticateParams = lazily(() => z.looseObject({ methodId: z.string() }));
export const noParams = lazily(() => z.looseObject({}));

type Pairs = z.infer<ReturnType<typeof pairs>>;
type McpServers = z.infer<ReturnType<typeof mcpServers>>;

export type McpServerSpec =
  | {
      readonly type: "stdio";
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly type: "http" | "sse";
      readonly name: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

function toRecord(value: Pairs): Record<string, string> {
  if (value === null || value === undefined) return {};
  if (!Array.isArray(value)) return value;
  return Object.fromEntries(value.map((pair) => [pair.name, pair.value]));
}

/** One list from every accepted form of `mcpServers`; throws -32602 for a server with neither command nor url. */
export function parseMcpServers(value: McpServers): McpServerSpec[] {
  if (value === null || value === undefined) return [];
  const named = Array.isArray(value)
    ? value.map((server, index) => [server.name ?? "", server, `mcpServers.${index}`] as const)
    : Object.entries(value).map(([name, server]) => [name, server, `mcpServers.${name}`] as const);
  return named.map(([name, server, field]) => {
    if (name === "") throw invalidParams({ [`${field}.name`]: "is missing" });
    if (server.command !== undefined) {
      return {
        type: "stdio",
        name,
        command: server.command,
        args: server.args ?? [],
        env: toRecord(server.env),
      };
    }
    if (server.url !== undefined) {
      return {
        type: server.type === "sse" ? "sse" : "http",
        name,
        url: server.url,
        headers: toRecord(server.headers),
      };
    }
    throw invalidParams({ [field]: "needs a command (stdio) or a url (http, sse)" });
  });
}
