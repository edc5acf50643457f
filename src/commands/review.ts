// /review: the project's findings, a stored plan, or the code against a commit, with a verdict, without a model. As
// `iac-code review` judges.

import { defineCommand } from "./command.ts";

export const review = defineCommand({
  name: "review",
  description: "Judge the project, a plan or a change, without a model: safe, review or danger",
  hint: "[full | plan file | --diff [commit]]",
  run: async (args, { session }) => {
    const [option, base = "HEAD", ...more] = args.split(/\s+/);
    if (option === "--diff" && more.length === 0)
      return session.runTool("iac_plan", { diff: base });
    if (option?.startsWith("-")) return "Usage: /review [full | plan file | --diff [commit]]";
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
