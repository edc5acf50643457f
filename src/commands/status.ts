// /status: where this session stands.

import { defineCommand } from "./command.ts";

export const status = defineCommand({
  name: "status",
  description: "Show the session's directory, model, mode and use of the context window",
  run: async (_args, { session }) =>
    (await session.status()).map(([label, value]) => `- **${label}**: ${value}`).join("\n"),
});
