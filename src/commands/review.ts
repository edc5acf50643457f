// /review: the project's findings, or a stored plan, with a verdict, without a model. As `iac-code review` judges.

import { defineCommand } from "./command.ts";

export const review = defineCommand({
  name: "review",
  description: "Judge the project, or a stored plan, without a model: safe, review or danger",
  hint: "[full | plan file]",
  run: async (args, { session }) => {
    if (args !== "" && args !== "full") return session.runTool("iac_plan", { plan_file: args });
    const text = await session.runTool("iac_validate", { level: args === "full" ? args : "fast" });
    const { verdictOf } = await import("../tools/iac-validate.ts");
    const verdict = verdictOf(text);
    return verdict === undefined ? text : `## Review: ${verdict}\n\n${asList(text)}`;
  },
});

const asList = (text: string): string =>
  text
    .split("\n")
    .map((line) => `- ${line}`)
    .join("\n");
