// docs/transcripts/*.md and the transcript in README.md, from real runs of the program.
// `bun test/support/transcript-docs.ts` writes them; a test says when they are old. No model is used: the built-in reviewer
// says the same every time. Times, ids and folders are replaced.

import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fence } from "../../src/lib/text.ts";
import { isRecord } from "../../src/lib/json.ts";
import { type Recorded, answerPermissions, openAgent } from "./acp-client.ts";
import { fakeModel, text, toolCall } from "./fake-model.ts";
import { openPty } from "./pty.ts";
import { QUOTED_PROGRAM } from "./program.ts";
import { runCli } from "./run-cli.ts";
import { type TempDir, tempDir } from "./temp-dir.ts";

const ROOT = join(import.meta.dir, "../..");
const MADE =
  "<!-- Made by `bun test/support/transcript-docs.ts` from real runs; edit the script, not this page. -->";
const PROMPT = "Review this project and offer safe fixes.";
const INVITE = "or Esc to stop: ";
const README_BEGIN = "<!-- transcript: made by test/support/transcript-docs.ts -->\n";
const README_END = "<!-- end of the transcript -->\n";
const MAX_JSON_COLUMNS = 400;
const MAIN_TF = 'variable "size" {\n  default = "small"\n}\n';

/** A copy of an example in a folder of the same name, so that names in the transcript are the same everywhere. */
async function exampleCopy(name: string): Promise<TempDir> {
  const folder = await tempDir();
  cpSync(join(ROOT, "examples", name), folder.file(name), { recursive: true });
  return folder;
}

function normalise(text: string, folder: TempDir): string {
  return text
    .replaceAll(folder.path, "/home/anna")
    .replaceAll(/sess_[0-9a-f]{32}/g, "sess_0123456789abcdef0123456789abcdef")
    .replaceAll(/call_[0-9a-f]{32}/g, "call_0123456789abcdef0123456789abcdef")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, "0e1d2c3b-…")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, "2026-01-31T12:00:00.000Z")
    .replaceAll(/"(input|output|total)Tokens":\d+/g, '"$1Tokens":1000')
    .replaceAll(/ {2}\d+ s$/gm, "");
}

/** Calls that run side by side end in any order: lines of one kind that follow each other are put in order. */
function inOrder(text: string): string {
  const groups: string[][] = [];
  for (const line of text.split("\n")) {
    const last = groups.at(-1);
    if (/^[●✔]/.test(line) && last?.[0]?.[0] === line[0]) last?.push(line);
    else groups.push([line]);
  }
  return groups.flatMap((group) => group.toSorted()).join("\n");
}

/** The first offered fix is allowed, the second rejected. */
async function reviewInTerminal(): Promise<string> {
  await using folder = await exampleCopy("terraform");
  await using pty = openPty(`${QUOTED_PROGRAM} run '${PROMPT}'; echo "(exit code $?)"`, {
    cwd: folder.file("terraform"),
    columns: 110,
    env: { NO_COLOR: "1" },
  });
  const ended = pty.until(/\(exit code \d+\)\n/).then(() => false);
  for (let key = "y"; ; key = "n") {
    const asked = pty.until(INVITE).then(() => true);
    // After the end of the program no question comes; what waits for one may fail then.
    asked.catch(() => undefined);
    if (!(await Promise.race([asked, ended]))) break;
    pty.type(key);
  }
  return inOrder(normalise(`$ iac-code run "${PROMPT}"\n${pty.text()}`, folder));
}

async function reviewInScript(): Promise<string> {
  await using folder = await exampleCopy("kubernetes");
  const result = await runCli(["review"], { cwd: folder.file("kubernetes") });
  return normalise(`$ iac-code review\n${result.out}(exit code ${result.code})\n`, folder);
}

const short = (line: string): string =>
  line.length <= MAX_JSON_COLUMNS ? line : `${line.slice(0, MAX_JSON_COLUMNS)} …`;

/** What an editor and the agent say to each other in a turn with one allowed edit; a scripted model stands for a real one. */
async function editorTalk(): Promise<string> {
  await using folder = await tempDir({ "shop/main.tf": MAIN_TF });
  await using model = await fakeModel([
    toolCall("read_file", { path: "main.tf" }),
    toolCall("edit_file", { path: "main.tf", old_string: '"small"', new_string: '"large"' }),
    text("The size is large now."),
  ]);
  await using agent = await openAgent("stdio", { env: model.env() });
  answerPermissions(agent, "allow_once");
  const sessionId = await agent.newSession(folder.file("shop"));
  await agent.until(() => agent.log.some(isCommands), "the commands");
  await agent.prompt(sessionId, "Make it large");
  const lines = agent.log
    .filter(
      (one, index, all) => !isTimed(one) && !(isCommands(one) && index > all.findIndex(isCommands)),
    )
    .map(({ from, message }) => {
      const arrow = from === "client" ? "→" : "←";
      return `${arrow} ${short(normalise(JSON.stringify(message), folder))}`;
    });
  return `${lines.join("\n")}\n`;
}

const kindOf = ({ message }: Recorded): unknown => {
  const params = isRecord(message["params"]) ? message["params"] : {};
  return isRecord(params["update"]) ? params["update"]["sessionUpdate"] : undefined;
};
const isCommands = (one: Recorded): boolean => kindOf(one) === "available_commands_update";
/** What the clock decides, not the story. */
const isTimed = (one: Recorded): boolean =>
  kindOf(one) === "usage_update" || kindOf(one) === "session_info_update";

function page(title: string, about: string, transcript: string): string {
  return `# ${title}\n\n${MADE}\n\n${about}\n\n${fence(transcript, "text")}\n`;
}

/** For the README: the start of the answer, the first question and the end. */
function excerpt(transcript: string): string {
  const lines = transcript.split("\n");
  const at = (start: string, from = 0) =>
    lines.findIndex((line, index) => index >= from && line.startsWith(start));
  const found = at("I found");
  const question = at("?");
  const answered = lines.findIndex((line) => line.includes(INVITE));
  const end = lines.findIndex((line) => /^\d+ fix(es)? (was|were) made/.test(line));
  const parts = [
    lines.slice(0, 1),
    lines
      .slice(found, found + 5)
      .map((line) => (line.length > 150 ? `${line.slice(0, 149)}…` : line)),
    ["…"],
    lines.slice(question, answered + 1),
    ...(end < 0 ? [] : [["…"], [lines[end] ?? ""]]),
  ];
  return `${parts.flat().join("\n")}\n`;
}

export type Page = { readonly path: string; readonly text: string };

/** Every made page as it must be, README included. Takes some seconds: the program really runs. */
export async function renderTranscripts(): Promise<Page[]> {
  const review = await reviewInTerminal();
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const [before = "", rest = ""] = readme.split(README_BEGIN);
  const [, after = ""] = rest.split(README_END);
  return [
    {
      path: "docs/transcripts/review.md",
      text: page(
        "A review in a terminal",
        "On a copy of `examples/terraform`, without a model. The first fix is allowed with the key `y`, the second rejected with `n`.",
        review,
      ),
    },
    {
      path: "docs/transcripts/ci.md",
      text: page(
        "A review in CI",
        "On a copy of `examples/kubernetes`. The exit code is the verdict: 0 safe, 2 review, 3 danger.",
        await reviewInScript(),
      ),
    },
    {
      path: "docs/transcripts/editor.md",
      text: page(
        "What an editor sees",
        "The messages of one turn on stdio, `→` from the editor, `←` from the agent; long ones are cut. A scripted model stands for a real one.",
        await editorTalk(),
      ),
    },
    {
      path: "README.md",
      text: `${before}${README_BEGIN}${fence(excerpt(review), "text")}\n${README_END}${after}`,
    },
  ];
}

if (import.meta.main)
  for (const { path, text } of await renderTranscripts()) await Bun.write(join(ROOT, path), text);
