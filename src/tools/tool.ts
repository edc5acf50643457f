// The contract of a tool. `prepare` is its only entrance: arguments that do not parse cannot reach `execute`, and what
// it may touch is computed from parsed arguments. Nothing here asks for permission or talks to a client.

import { z } from "zod";
import type { Access } from "../conversation/access.ts";
import type { Location, PlanEntry, ToolContent, ToolKind } from "../conversation/content.ts";
import type { JsonObject, JsonValue } from "../lib/json.ts";
import type { SandboxMode } from "./sandbox.ts";
import type { StoredPlan, ToolSession } from "./tool-session.ts";

/** Where a call is prepared. Roots are real paths; the first is `cwd`. */
export type ToolPlace = {
  readonly cwd: string;
  readonly roots: readonly string[];
  /** The plans of the session, by id: what a call may touch can depend on what was planned. */
  readonly plans?: ReadonlyMap<string, StoredPlan>;
};

/** A client's own files (unsaved buffers). `undefined` or `false`: it failed or did not answer in time; use the disk. */
export type ClientFiles = {
  readonly canRead: boolean;
  readonly canWrite: boolean;
  readonly readText: (path: string, signal: AbortSignal) => Promise<string | undefined>;
  readonly writeText: (path: string, text: string, signal: AbortSignal) => Promise<boolean>;
};

export type ClientTerminalRun = {
  readonly terminalId: string;
  /** Resolves when the command ended or `signal` aborted (it is then killed); output is bounded by the client. */
  readonly finished: Promise<{
    readonly output: string;
    readonly truncated: boolean;
    readonly exitCode?: number;
    readonly signal?: string;
  }>;
  readonly release: () => Promise<void>;
};

export type ClientTerminal = {
  /** `undefined`: the client refused or did not answer in time; run it here. */
  readonly run: (
    command: string,
    options: {
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
      readonly outputByteLimit: number;
    },
    signal: AbortSignal,
  ) => Promise<ClientTerminalRun | undefined>;
};

/** A question of the model's; options and fields exclude one another, and both may be empty. */
export type UserQuestion = {
  readonly question: string;
  readonly options: readonly string[];
  readonly fields: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly type?: "string" | "number" | "boolean" | undefined;
    readonly default?: string | undefined;
    readonly required?: boolean | undefined;
  }[];
};

export type UserAnswer =
  /** By field; under `answer` for a question without fields. */
  | { readonly type: "answered"; readonly values: Readonly<Record<string, unknown>> }
  | { readonly type: "declined" }
  | { readonly type: "cancelled" }
  /** The client can show no such question. */
  | { readonly type: "impossible" };

export type ToolContext = ToolPlace & {
  /** Aborts when the turn is cancelled, the session closed or the program ends. */
  readonly signal: AbortSignal;
  /** Replaces what the client sees of the running call. At most 4 a second reach it. */
  readonly progress: (content: readonly ToolContent[]) => void;
  readonly session: ToolSession;
  readonly files?: ClientFiles;
  readonly terminal?: ClientTerminal;
  /** Runs a sub-agent to its end and returns its last words. Absent inside a sub-agent. */
  readonly runSubagent?: (
    prompt: string,
    description: string,
    signal: AbortSignal,
  ) => Promise<ToolResult>;
  /** Shows the plan of the session, replacing the one before. Absent inside a sub-agent, whose plan is its own. */
  readonly showPlan?: (entries: readonly PlanEntry[]) => Promise<void>;
  /** Puts a question to the user. Never rejects. */
  readonly askUser?: (question: UserQuestion, signal: AbortSignal) => Promise<UserAnswer>;
  readonly settings: ToolSettings;
  /** True for a real path that a deny rule covers: searches and lists leave such files out, and count them. */
  readonly isPathDenied?: (realPath: string) => boolean;
  /** True for a host that a deny rule covers: asked again at every redirect of a fetch. */
  readonly isHostDenied?: (host: string) => boolean;
};

export type ToolSettings = {
  /** `host:port` that web_fetch may reach though its address is private. */
  readonly fetchAllowPrivate: readonly string[];
  /** Default: off. */
  readonly sandbox?: SandboxMode;
  /** The user's `iac.binary`: the name or path of terraform or tofu. Absent: what the project asks for. */
  readonly iacBinary?: string;
  /** Where what is slow to make anew is kept; default: the session's own folder. */
  readonly cacheDir?: string;
};

export type ToolResult = {
  readonly ok: boolean;
  /** What the model is told. */
  readonly text: string;
  /** What the client is shown; default: `text`. */
  readonly content?: readonly ToolContent[];
  readonly rawOutput?: JsonValue;
  readonly locations?: readonly Location[];
};

/** Shown before the call is allowed. `ok: false` ends the call there: it cannot work, so nobody is asked. */
export type Preview =
  | { readonly ok: true; readonly content: readonly ToolContent[] }
  | { readonly ok: false; readonly text: string };

export type PreparedCall = {
  /** What happens to what: `Read main.tf`, `terraform validate`. */
  readonly title: string;
  readonly kind: ToolKind;
  readonly rawInput: JsonObject;
  readonly access: Access;
  readonly locations: readonly Location[];
  readonly preview: (context: ToolContext) => Promise<Preview>;
  /** Contract: never rejects for anything the world did; failures are `ok: false`. Resolves promptly after an abort. */
  readonly execute: (context: ToolContext) => Promise<ToolResult>;
};

export type Prepared =
  | { readonly ok: true; readonly call: PreparedCall }
  /** Nothing runs and nobody is asked; the text tells the model what is wrong. */
  | { readonly ok: false; readonly text: string };

export type Tool = {
  readonly name: string;
  readonly kind: ToolKind;
  readonly description: string;
  /** JSON Schema of the arguments, as the model sees it. */
  readonly parameters: JsonObject;
  readonly prepare: (rawArgs: unknown, place: ToolPlace) => Promise<Prepared>;
};

type CallParts = {
  readonly title: string;
  readonly access: Access;
  readonly locations?: readonly Location[];
  readonly preview?: (context: ToolContext) => Promise<Preview>;
  readonly execute: (context: ToolContext) => Promise<ToolResult>;
};

type ToolDefinition<Args extends z.ZodObject> = {
  readonly name: string;
  readonly kind: ToolKind;
  readonly description: string;
  readonly args: Args;
  /** Computes title, access and the work itself from parsed arguments. A string is an error text for the model. */
  readonly open: (
    args: z.infer<Args>,
    place: ToolPlace,
  ) => Promise<CallParts | string> | CallParts | string;
};

/** Makes a tool whose arguments are checked by `args` before anything else of it is called. */
export function defineTool<Args extends z.ZodObject>(definition: ToolDefinition<Args>): Tool {
  const { name, kind, description, args, open } = definition;
  const { $schema: _, ...parameters } = z.toJSONSchema(args, { io: "input" }) as Record<
    string,
    JsonValue
  >;
  return {
    name,
    kind,
    description,
    parameters,
    prepare: async (rawArgs, place) => {
      const parsed = args.safeParse(rawArgs);
      if (!parsed.success)
        return { ok: false, text: describeArgumentError(name, parsed.error, parameters) };
      const parts = await open(parsed.data, place);
      if (typeof parts === "string") return { ok: false, text: parts };
      return {
        ok: true,
        call: {
          title: parts.title,
          kind,
          rawInput: rawArgs as JsonObject,
          access: parts.access,
          locations: parts.locations ?? [],
          preview: parts.preview ?? (async () => ({ ok: true, content: [] })),
          execute: parts.execute,
        },
      };
    },
  };
}

function describeArgumentError(name: string, error: z.ZodError, parameters: JsonObject): string {
  const faults = error.issues.map(
    (issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`,
  );
  return `Invalid arguments for ${name}: ${faults.join("; ")}. Nothing was run. The schema is ${JSON.stringify(parameters)}`;
}
