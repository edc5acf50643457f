// /map: what this project is made of.

import { defineCommand } from "./command.ts";

export const map = defineCommand({
  name: "map",
  description: "Show what the project is made of, without a model",
  run: (_args, { session }) => session.runTool("iac_map", { query: "summary" }),
});
