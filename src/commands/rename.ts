// /rename: a title of the user's own.

import { defineCommand } from "./command.ts";

export const rename = defineCommand({
  name: "rename",
  description: "Give the session a title",
  hint: "title",
  run: async (args, { session }) =>
    args === ""
      ? "Say the title: `/rename the title`."
      : `The session is now called "${await session.rename(args)}".`,
});
