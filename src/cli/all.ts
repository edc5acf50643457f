// Every sub-command, each behind an import of its own, so that none pays for another's start.

import type { CliCommand } from "./command.ts";

export const commands: Readonly<Record<string, () => Promise<CliCommand>>> = {
  acp: async () => (await import("./acp.ts")).acp,
  run: async () => (await import("./run.ts")).run,
  sessions: async () => (await import("./sessions.ts")).sessions,
  models: async () => (await import("./models.ts")).models,
  review: async () => (await import("./review.ts")).review,
};
