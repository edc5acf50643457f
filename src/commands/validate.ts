// /validate: the checks and rules, without a model.

import { defineCommand } from "./command.ts";

export const validate = defineCommand({
  name: "validate",
  description: "Check the project's infrastructure code, without a model",
  hint: "[full]",
  run: (args, { session }) =>
    session.runTool("iac_validate", { level: args === "full" ? "full" : "fast" }),
});
