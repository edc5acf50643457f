// /undo: the files of the last turn as they were before it.

import { defineCommand } from "./command.ts";

export const undo = defineCommand({
  name: "undo",
  description: "Restore the files that the last turn edited; what commands changed stays",
  run: (_args, { session }) => session.undo(),
});
