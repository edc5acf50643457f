// iac_map: where things are in the project's infrastructure code, and what hangs on what.

import { join, relative, sep } from "node:path";
import { z } from "zod";
import { summary } from "../iac/map/brief.ts";
import type { ProjectIndex } from "../iac/map/project-index.ts";
import {
  dependents,
  dependsOn,
  refsOf,
  whereIs,
  whoUsesModule,
  type Answer,
  type Scope,
} from "../iac/map/queries.ts";
import { indexProject } from "../iac/map.ts";
import { count, escapeInvisible } from "../lib/text.ts";
import { cancelled, codeContent } from "./answers.ts";
import { toAccess, toToolPath } from "./tool-path.ts";
import { defineTool, type ToolContext, type ToolResult } from "./tool.ts";

const MAX_ANSWERS = 200;
const MAX_SUMMARY_CHARACTERS = 30_000;
const MAX_LOCATIONS = 50;

const QUESTIONS: Readonly<
  Record<string, (index: ProjectIndex, of: string, scope: Scope) => readonly Answer[]>
> = {
  where_is: whereIs,
  refs_of: refsOf,
  depends_on: dependsOn,
  dependents,
  who_uses_module: whoUsesModule,
};

export const iacMap = defineTool({
  name: "iac_map",
  kind: "search",
  description:
    "Answer questions about the project's infrastructure code without reading files one by one. summary: modules, providers with locked versions, backends, variables, resources, outputs, and other kinds (Helm, Kubernetes, CloudFormation, ROS, Ansible, Pulumi, CDK, Bicep, Terragrunt). where_is: where an address or name is declared. refs_of: every reference to an address (`var.env`, `aws_vpc.main`, `module.net`, `output.id`). depends_on and dependents: what an address needs, and what needs it, also through others. who_uses_module: calls of a module, by directory or source.",
  args: z.object({
    query: z.enum([
      "summary",
      "where_is",
      "refs_of",
      "depends_on",
      "dependents",
      "who_uses_module",
    ]),
    of: z
      .string()
      .optional()
      .describe("The address, name or module that is asked about; needed by all but summary."),
    path: z.string().optional().describe("Only modules at or below this folder."),
  }),
  open: async ({ query, of, path }, place) => {
    if (query !== "summary" && (of === undefined || of.trim() === ""))
      return `of: ${query} needs it. Give an address such as aws_vpc.main or var.region.`;
    const root = await toToolPath(".", place);
    if (typeof root === "string") return root;
    const below = await toToolPath(path ?? ".", place);
    if (typeof below === "string") return below;
    const directory = relative(root.realPath, below.realPath).split(sep).join("/");
    if (directory === ".." || directory.startsWith("../"))
      return `path: ${path ?? ""} lies outside of the working directory, which is what iac_map reads.`;
    return {
      title: of === undefined ? "Map the project" : `Map ${query} ${of}`,
      access: { type: "read", paths: [toAccess(root)] },
      execute: (context) => run(root.realPath, { query, of: of ?? "", directory }, context),
    };
  },
});

type Question = { readonly query: string; readonly of: string; readonly directory: string };

async function run(root: string, question: Question, context: ToolContext): Promise<ToolResult> {
  const { signal, isPathDenied } = context;
  try {
    const index = await indexProject(
      root,
      signal,
      isPathDenied === undefined ? {} : { isDenied: isPathDenied },
    );
    return answer(index, question);
  } catch (error) {
    // Aborting is the one way that indexing rejects; anything else is a defect of ours and flies on.
    if (!signal.aborted) throw error;
    return cancelled();
  }
}

function answer(index: ProjectIndex, { query, of, directory }: Question): ToolResult {
  const ask = QUESTIONS[query];
  if (ask === undefined) return summarise(index, directory);
  const answers = ask(index, of, { directory });
  if (answers.length === 0) {
    const hint = query === "where_is" ? "" : whereHint(index, of, directory);
    const nothing = `Nothing found for ${query} ${of}.${hint}`;
    return { ok: true, text: nothing, rawOutput: { places: 0 } };
  }
  const shown = answers.slice(0, MAX_ANSWERS);
  const lines = shown.map(({ file, line, text }) => escapeInvisible(`${file}:${line} ${text}`, ""));
  if (answers.length > shown.length)
    lines.push(`[${answers.length - shown.length} more are left out; give a path]`);
  const text = [`${count(answers.length, "place")} for ${query} ${of}`, ...lines].join("\n");
  return {
    ok: true,
    text,
    content: codeContent(text),
    rawOutput: { places: answers.length },
    locations: shown
      .slice(0, MAX_LOCATIONS)
      .map(({ file, line }) => ({ path: join(index.root, file), line })),
  };
}

/** An address that exists but has no answer is told apart from one that does not exist. */
function whereHint(index: ProjectIndex, of: string, directory: string): string {
  const [first] = whereIs(index, of, { directory });
  if (first === undefined) return ` No declaration has that address or name.`;
  return ` The nearest declaration is ${first.text} at ${first.file}:${first.line}.`;
}

function summarise(index: ProjectIndex, directory: string): ToolResult {
  const isBelow = (path: string) =>
    directory === "" || path === directory || path.startsWith(`${directory}/`);
  const part: ProjectIndex = {
    ...index,
    modules: index.modules.filter((module) => isBelow(module.directory)),
    others: index.others.filter(({ path }) => isBelow(path)),
  };
  const text = summary(part) || "No infrastructure code was found here.";
  const bounded =
    text.length <= MAX_SUMMARY_CHARACTERS
      ? text
      : `${text.slice(0, MAX_SUMMARY_CHARACTERS)}\n[cut; give a path to see one part]`;
  return { ok: true, text: bounded, content: codeContent(bounded) };
}
