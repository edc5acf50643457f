// /help: what can be typed here.

import { defineCommand } from "./command.ts";

export const help = defineCommand({
  name: "help",
  description: "List the commands",
  run: async (_args, { session }) => {
    const rows = session
      .commands()
      .map(
        ({ name, hint, description }) =>
          `- \`/${name}${hint === undefined ? "" : ` ${hint}`}\` – ${description}`,
      );
    return `Commands:\n\n${rows.join("\n")}\n\nAnything else goes to the model.`;
  },
});
