// /compact: make room in the model's context window now.

import { defineCommand } from "./command.ts";

export const compact = defineCommand({
  name: "compact",
  description:
    "Summarise the conversation so far to make room; the stored history keeps everything",
  run: (_args, { session }) => session.compact(),
});
