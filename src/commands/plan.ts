// /plan: what an apply would do, without a model.

import { defineCommand } from "./command.ts";

export const plan = defineCommand({
  name: "plan",
  description: "Plan the infrastructure of this directory or another, without a model",
  hint: "[directory]",
  run: (args, { session }) => session.runTool("iac_plan", args === "" ? {} : { dir: args }),
});
