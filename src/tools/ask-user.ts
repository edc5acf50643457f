// ask_user: a question only the user can answer, such as which environment is meant. How it is put depends on what the
// client can show; a client that can show nothing gets the question as text.

import { z } from "zod";
import { truncateAtGrapheme } from "../lib/text.ts";
import { type UserQuestion, defineTool } from "./tool.ts";

const MAX_QUESTION_LENGTH = 2_000;
const MAX_OPTIONS = 8;
const MAX_OPTION_LENGTH = 100;
const MAX_FIELDS = 10;
const MAX_FIELD_TEXT_LENGTH = 300;
const TITLE_MAX_LENGTH = 80;
/** UTF-16 units of one answer that the model is told. */
const MAX_ANSWER_LENGTH = 10_000;

const ASK_IN_TEXT =
  "This client cannot show a form. Put the question to the user as the last words of your answer, and end your turn there.";

function answered(values: Readonly<Record<string, unknown>>): string {
  const rows = Object.entries(values).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${name}: ${truncateAtGrapheme(text, MAX_ANSWER_LENGTH)}`;
  });
  return rows.length === 0 ? "The user answered with nothing." : rows.join("\n");
}

export const askUser = defineTool({
  name: "ask_user",
  kind: "other",
  description:
    "Asks the user what only the user knows: which environment, account or region is meant, or the values of missing " +
    "variables. Give options where there are a few clear answers, fields where values must be entered. Look in the " +
    "project first, ask once for everything, and never ask for passwords, keys or other secrets: those belong into " +
    "variables or a secret store. It is no permission for anything.",
  args: z.object({
    question: z.string().trim().min(1).max(MAX_QUESTION_LENGTH),
    options: z
      .array(z.string().trim().min(1).max(MAX_OPTION_LENGTH))
      .max(MAX_OPTIONS)
      .optional()
      .describe("Answers to choose one of"),
    fields: z
      .array(
        z.object({
          name: z.string().regex(/^[A-Za-z_][\w.-]{0,63}$/, {
            error: "must be a name of letters, digits, _, . and -, such as instance_type",
          }),
          description: z.string().max(MAX_FIELD_TEXT_LENGTH).optional(),
          type: z.enum(["string", "number", "boolean"]).optional().describe("Default string"),
          default: z.string().max(MAX_FIELD_TEXT_LENGTH).optional(),
          required: z.boolean().optional().describe("Default true"),
        }),
      )
      .max(MAX_FIELDS)
      .optional()
      .describe("Values to enter, for example variables without a value"),
  }),
  open: ({ question, options = [], fields = [] }) => {
    if (options.length > 0 && fields.length > 0)
      return "Give either options or fields, not both. Nobody was asked.";
    if (new Set(options).size < options.length)
      return "Two options are the same. Nobody was asked.";
    if (options.length === 1) return "One option is no choice; give two or more. Nobody was asked.";
    const asked: UserQuestion = { question, options, fields };
    return {
      title: truncateAtGrapheme(`Ask: ${question.replaceAll(/\s+/g, " ")}`, TITLE_MAX_LENGTH),
      access: { type: "none" },
      execute: async (context) => {
        if (context.signal.aborted) return { ok: false, text: "Cancelled." };
        const answer = await context.askUser?.(asked, context.signal);
        switch (answer?.type) {
          case "answered":
            return { ok: true, text: answered(answer.values) };
          case "declined":
            return {
              ok: false,
              text: "The user did not answer. Go on without it where that is safe, else say what is missing.",
            };
          case "cancelled":
            return { ok: false, text: "Cancelled." };
          case "impossible":
          case undefined:
            return { ok: false, text: ASK_IN_TEXT };
        }
      },
    };
  },
});
