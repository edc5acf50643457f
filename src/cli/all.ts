// Every sub-command, each behind an import of its own, so that none pays for another's start.

import type { CliCommand } from "./command.ts";

export const commands: Readonly<Record<string, () => Promise<CliCommand>>> = {
  acp: async () => (await import("./acp.ts")).acp,
  run: async () => (await import("./run.ts")).run,
  sessions: async () => (await import("./sessions.ts")).sessions,
  models: async () => (await import("./models.ts")).models,
  login: async () => (await import("./login.ts")).login,
  logout: async () => (await import("./logout.ts")).logout,
  doctor: async () => (await import("./doctor.ts")).doctor,
  config: async () => (await import("./config.ts")).config,
  review: async () => (await import("./review.ts")).review,
  completions: async () => (await import("./completions.ts")).completions,
};
