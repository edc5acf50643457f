// /mode: show or change the permission mode.

import { defineCommand } from "./command.ts";

export const mode = defineCommand({
  name: "mode",
  description: "Show the permission modes, or change to one",
  hint: "[id]",
  run: async (args, { session }) => {
    const { current, ids } = session.modes();
    if (args === "")
      return ids.map((id) => `- \`${id}\`${id === current ? " (current)" : ""}`).join("\n");
    return session.setMode(args);
  },
});
