// The user's config.json: one zod schema, from which the types, the checks and `iac-code config schema` come.
// What a project may set is a small part of it, see project.ts.

import { z } from "zod";

const text = (description: string) => z.string().min(1).describe(description);
const texts = (description: string) => z.array(z.string().min(1)).describe(description);

const apiFormat = z
  .enum(["chat", "responses"])
  .describe("Which API the endpoint speaks: chat completions (default) or responses.");
const headers = z
  .record(z.string(), z.string())
  .describe("Further HTTP headers for each request to the endpoint.");
const thoughtLevel = z.enum(["off", "low", "medium", "high"]);
const tokens = (description: string) => z.int().positive().describe(description);

const model = z
  .strictObject({
    id: text("The model's name at its endpoint."),
    name: text("What people see. Default: the id.").optional(),
    contextWindow: tokens("Tokens of prompt and answer together.").optional(),
    maxOutputTokens: tokens("Tokens of one answer.").optional(),
    thoughtLevels: z
      .array(thoughtLevel)
      .describe("Levels of thinking it can be set to.")
      .optional(),
  })
  .describe("A model of an endpoint.");

const provider = z
  .strictObject({
    title: text("What people see. Default: the key of this entry.").optional(),
    baseUrl: text("Address, for example https://api.example.com/v1.").optional(),
    apiKey: text("The key itself. Better: apiKeyEnv, or `iac-code login`.").optional(),
    apiKeyEnv: text("Name of the environment variable that holds the key.").optional(),
    headers: headers.optional(),
    apiFormat: apiFormat.optional(),
    models: z.array(model).describe("Models that the endpoint does not list by itself.").optional(),
  })
  .describe("An endpoint. A known provider's id as key changes that provider.");

const mcpServer = z
  .strictObject({
    command: text("Program of a server on stdin and stdout.").optional(),
    args: z.array(z.string()).describe("Its arguments.").optional(),
    env: z.record(z.string(), z.string()).describe("Its further environment.").optional(),
    url: text("Address of a server over HTTP.").optional(),
    headers: headers.optional(),
    type: z
      .enum(["http", "sse"])
      .describe("How the address is spoken to. Default http.")
      .optional(),
  })
  .refine((server) => (server.command === undefined) !== (server.url === undefined), {
    message: "Needs either a command or a url",
  })
  .describe("A server of the Model Context Protocol that every session gets.");

const permissions = z
  .strictObject({
    deny: texts("Refused in every mode: `bash(terraform destroy:*)`, `file(**/.env*)`.").optional(),
    ask: texts("Asked about, even where a mode would allow it.").optional(),
    allow: texts(
      "Allowed unasked: `bash(terraform validate)`, `web_fetch(docs.example.com)`.",
    ).optional(),
  })
  .describe("Rules `tool(pattern)`. Deny goes before ask, ask before allow.");

/** Every key of config.json; all are optional. */
export const configSchema = z
  .strictObject({
    $schema: z.string().describe("For editors; not read.").optional(),
    model: text("Model to begin with: its name, or `provider/name`.").optional(),
    provider: text(
      "Provider to begin with: a known id (`openai`, `dashscope`, …) or a key of `providers`.",
    ).optional(),
    baseUrl: text("Address of an endpoint of your own.").optional(),
    apiKey: text(
      "Key for `provider` or `baseUrl`. Better: the environment, or `iac-code login`.",
    ).optional(),
    headers: headers.optional(),
    apiFormat: apiFormat.optional(),
    providers: z
      .record(z.string().min(1), provider)
      .describe("Further endpoints by id.")
      .optional(),
    thoughtLevel: thoughtLevel
      .describe("Thinking to begin with, where the model has it.")
      .optional(),
    mode: z
      .enum(["default", "accept_edits", "plan", "auto"])
      .describe("Permission mode to begin with.")
      .optional(),
    permissions: permissions.optional(),
    protectedPaths: texts("Path globs that the file tools never write.").optional(),
    instructions: text("Told to the model in every session.").optional(),
    redaction: z
      .enum(["strict", "balanced", "off"])
      .describe("How secrets are masked before model, store and logs. Default balanced.")
      .optional(),
    fetch: z
      .strictObject({
        allowPrivate: texts(
          "Private addresses that web_fetch may reach: `127.0.0.1:8080`.",
        ).optional(),
      })
      .describe("What web_fetch may reach.")
      .optional(),
    sandbox: z
      .enum(["auto", "off", "require"])
      .describe(
        "Cage for commands by bubblewrap (Linux): system read-only, no network for what only reads. auto (default): for what only reads, where it works; require: for every command, and none runs without it.",
      )
      .optional(),
    iac: z
      .strictObject({
        binary: text(
          "terraform, tofu, or the path of one. Default: what the project asks for.",
        ).optional(),
      })
      .describe("Infrastructure tools.")
      .optional(),
    mcpServers: z.record(z.string().min(1), mcpServer).describe("MCP servers by name.").optional(),
  })
  .describe("Configuration of iac-code ($IACCODE_HOME/config.json, JSON with comments).");

export type Settings = Readonly<z.output<typeof configSchema>>;
export type SettingName = keyof Settings;
export type ProviderSettings = Readonly<z.output<typeof provider>>;

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(configSchema.shape, name);
}

/** The JSON Schema that `iac-code config schema` prints. */
export function configJsonSchema(): unknown {
  return z.toJSONSchema(configSchema, { target: "draft-2020-12" });
}
