// agent: hands a task to a sub-agent with a fresh context. Its own calls are shown and gated one by one.

import { z } from "zod";
import { truncateAtGrapheme } from "../lib/text.ts";
import { defineTool } from "./tool.ts";

const TITLE_MAX_LENGTH = 80;

export const agent = defineTool({
  name: "agent",
  kind: "execute",
  description:
    "Gives a self-contained task to a sub-agent that starts with an empty context and has the same tools except this one. " +
    "Its answer is returned to you; the user sees its tool calls. Put everything it needs to know into the prompt.",
  args: z.object({
    prompt: z.string().min(1).describe("The whole task, with all it needs to know"),
    description: z.string().min(1).describe("What it is for, in a few words, for the user"),
  }),
  open: ({ prompt, description }) => ({
    title: `Sub-agent: ${truncateAtGrapheme(description, TITLE_MAX_LENGTH)}`,
    access: { type: "agent", prompt },
    preview: async () => ({ ok: true, content: [{ type: "text", text: prompt }] }),
    execute: async (context) => {
      if (context.runSubagent === undefined)
        return { ok: false, text: "A sub-agent cannot start another one." };
      return context.runSubagent(prompt, description, context.signal);
    },
  }),
});
