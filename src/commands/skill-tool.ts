// The tool by which the model loads a skill; made for each session, since skills belong to the user and the project.

import { z } from "zod";
import { type Tool, defineTool } from "../tools/tool.ts";
import type { Skill } from "./skills.ts";

/** UTF-16 units of all descriptions together; the tool's own description is part of every request. */
const MAX_LIST_LENGTH = 12_000;

function listOf(skills: readonly Skill[]): string {
  const rows: string[] = [];
  let length = 0;
  for (const { name, description } of skills) {
    const row = `- ${name}: ${description}`;
    length += row.length;
    rows.push(length <= MAX_LIST_LENGTH ? row : `- ${name}`);
  }
  return rows.join("\n");
}

/** `undefined` where there are no skills. */
export function createSkillTool(skills: readonly Skill[]): Tool | undefined {
  if (skills.length === 0) return undefined;
  const names = skills.map(({ name }) => name).join(", ");
  return defineTool({
    name: "skill",
    kind: "read",
    description:
      "Loads a skill: instructions for a kind of task, written by the user or the project. Load the one that fits before " +
      `you begin such a task, and follow it.\n${listOf(skills)}`,
    args: z.object({ name: z.string().min(1).describe("Name of the skill") }),
    open: ({ name }) => {
      const skill = skills.find((one) => one.name === name.trim().toLowerCase());
      if (skill === undefined)
        return `There is no skill named ${name.slice(0, 100)}. Skills: ${names}.`;
      return {
        title: `Load skill ${skill.name}`,
        access: { type: "none" },
        execute: async () => ({ ok: true, text: skill.text }),
      };
    },
  });
}
