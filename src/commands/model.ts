// /model: show or change the model.

import { defineCommand } from "./command.ts";

export const model = defineCommand({
  name: "model",
  description: "Show the models, or change to one",
  hint: "[id]",
  run: async (args, { session }) => {
    const { current, ids } = session.models();
    if (args === "")
      return ids.map((id) => `- \`${id}\`${id === current ? " (current)" : ""}`).join("\n");
    return session.setModel(args);
  },
});
