// todo: the model's plan of a longer task, shown to the user and told back to the model when it changes.
// https://agentclientprotocol.com/protocol/agent-plan

import { z } from "zod";
import type { PlanEntry } from "../conversation/content.ts";
import { count } from "../lib/text.ts";
import { defineTool } from "./tool.ts";

const MAX_ENTRIES = 50;
/** UTF-16 units. */
const MAX_CONTENT_LENGTH = 500;

const MARKS = { pending: " ", in_progress: ">", completed: "x" } as const;

function told(entries: readonly PlanEntry[]): string {
  return entries.map(({ content, status }) => `[${MARKS[status]}] ${content}`).join("\n");
}

export const todo = defineTool({
  name: "todo",
  kind: "other",
  description:
    "Shows the user your plan for a task of several steps. Send the whole list each time: it replaces the one before. " +
    "Keep exactly one step in_progress while you work, and mark a step completed as soon as it is. Not for small tasks.",
  args: z.object({
    entries: z
      .array(
        z.object({
          content: z.string().trim().min(1).max(MAX_CONTENT_LENGTH).describe("The step"),
          status: z.enum(["pending", "in_progress", "completed"]),
          priority: z
            .enum(["high", "medium", "low"])
            .optional()
            .describe("How much depends on it. Default medium"),
        }),
      )
      .max(MAX_ENTRIES)
      .describe("All steps, in order"),
  }),
  open: (args) => {
    const entries = args.entries.map(({ content, status, priority = "medium" }): PlanEntry => ({
      content,
      status,
      priority,
    }));
    const done = entries.filter(({ status }) => status === "completed").length;
    return {
      title: `Plan: ${done} of ${count(entries.length, "step")} done`,
      access: { type: "none" },
      execute: async (context) => {
        if (context.signal.aborted) return { ok: false, text: "Cancelled." };
        await context.showPlan?.(entries);
        return { ok: true, text: entries.length === 0 ? "The plan is empty." : told(entries) };
      },
    };
  },
});
