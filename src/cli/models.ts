// iac-code models: what can be used now, where each comes from, which one is current.

import { createApp } from "../app.ts";
import { EXIT, defineCli } from "./command.ts";

export const models = defineCli({
  name: "models",
  summary: "list the models that can be used now and where each comes from",
  args: {},
  run: async (_args, signal) => {
    await using app = await createApp({ env: process.env, flags: {} });
    const catalog = app.services.models;
    await catalog.ready(signal);
    const current = catalog.fallback().id;
    for (const { id, description, contextWindow } of catalog.options()) {
      process.stdout.write(
        `${id === current ? "*" : " "} ${id}  ${description ?? ""}  ${contextWindow} tokens\n`,
      );
    }
    const missing = catalog.missing();
    if (missing !== undefined) process.stderr.write(`${missing}\n`);
    return EXIT.ok;
  },
});
