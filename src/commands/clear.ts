// /clear: the model forgets, the store does not.

import { defineCommand } from "./command.ts";

export const clear = defineCommand({
  name: "clear",
  description: "Let the model start afresh in this session; the stored history keeps everything",
  run: async (_args, { session }) => {
    await session.clear();
    return "The model starts afresh from here.";
  },
});
