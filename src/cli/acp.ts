// iac-code acp: serves the Agent Client Protocol, on stdio or over HTTP. The flags of HTTP come from the transport itself.

import type { ArgsDef } from "citty";
import { createApp } from "../app.ts";
import * as transports from "../transports/all.ts";
import type { Transport } from "../transports/flags.ts";
import { readDurationMs } from "../transports/flags.ts";
import { registryOf } from "../lib/registry.ts";
import { EXIT, UsageError, defineCli, textOf } from "./command.ts";

const registry = registryOf<Transport>(transports);

function toArgs(): ArgsDef {
  const args: ArgsDef = {
    transport: {
      type: "enum",
      options: [...registry.names],
      default: "stdio",
      description: registry.all.map(({ name, help }) => `${name}: ${help}`).join("; "),
    },
    model: { type: "string", valueHint: "ID", description: "model to use, provider/model" },
    mode: {
      type: "string",
      valueHint: "MODE",
      description: "permission mode of new sessions: default, accept_edits, plan, auto",
    },
  };
  for (const { flags } of registry.all) {
    for (const [name, flag] of Object.entries(flags)) {
      args[name] =
        flag.type === "boolean"
          ? { type: "boolean", default: flag.default, description: flag.help }
          : {
              type: "string",
              valueHint: flag.value,
              description: flag.help,
              ...(flag.type === "string" && flag.default !== undefined
                ? { default: flag.default }
                : {}),
            };
    }
  }
  return args;
}

const repeatable = registry.all.flatMap(({ flags }) =>
  Object.entries(flags).flatMap(([name, flag]) => (flag.type === "strings" ? [name] : [])),
);

export const acp = defineCli({
  name: "acp",
  summary: "serve an editor or script over the Agent Client Protocol",
  details:
    "Stdout carries protocol messages and nothing else. Over HTTP a token is needed to listen beyond this machine.",
  args: toArgs(),
  repeatable,
  run: async (args, signal) => {
    const transport = registry.get(textOf(args, "transport") ?? "stdio");
    if (transport === undefined)
      throw new UsageError(`--transport must be one of ${registry.names.join(", ")}`);
    const drainMs = readDurationMs("drain", textOf(args, "drain") ?? "30s");
    const { model, mode } = { model: textOf(args, "model"), mode: textOf(args, "mode") };
    await using app = await createApp({
      env: process.env,
      flags: { ...(model === undefined ? {} : { model }), ...(mode === undefined ? {} : { mode }) },
    });
    await using listener = await transport.open(args, { host: app.host, env: process.env });
    if (listener.address !== undefined)
      process.stderr.write(`iac-code listens on ${listener.address}\n`);
    const stopped = new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    await Promise.race([listener.done, signal.aborted ? undefined : stopped]);
    // On stdio the one client has gone or we were told to stop: nothing is worth waiting for.
    if (signal.aborted && transport.name !== "stdio")
      await listener.drain(AbortSignal.timeout(drainMs));
    return EXIT.ok;
  },
});
