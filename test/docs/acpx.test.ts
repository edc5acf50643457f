// The acpx CLI, as docs/editors/acpx.md says: a client that others wrote drives the program from end to end.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fakeModel, text, toolCall } from "../support/fake-model.ts";
import { PROGRAM } from "../support/program.ts";
import { runCli } from "../support/run-cli.ts";
import { snippetsOf } from "../support/snippets.ts";
import { tempDir } from "../support/temp-dir.ts";

const ROOT = join(import.meta.dir, "../..");
const ACPX = join(ROOT, "node_modules/acpx/dist/cli.js");
const hasAcpx = existsSync(ACPX);
/** On Bun: acpx wants a newer Node than some machines have. */
const acpx = [process.execPath, "--bun", ACPX];
const MAIN_TF = 'resource "terraform_data" "x" {\n  input = "one"\n}\n';
const replies = () => [
  toolCall("read_file", { path: "main.tf" }),
  toolCall("edit_file", { path: "main.tf", old_string: '"one"', new_string: '"two"' }),
  text("Two it is."),
];

for (const [flag, written] of [
  ["--approve-all", MAIN_TF.replace("one", "two")],
  ["--deny-all", MAIN_TF],
] as const) {
  test.skipIf(!hasAcpx)(
    `acpx exec ${flag} runs a turn and its policy answers our questions, where acpx is installed`,
    async () => {
      await using project = await tempDir({ "main.tf": MAIN_TF });
      await using model = await fakeModel(replies());
      const result = await runCli(
        ["--cwd", project.path, flag, "--agent", `${PROGRAM.join(" ")} acp`, "exec", "Make it two"],
        {
          command: acpx,
          env: model.env(),
        },
      );
      expect([result.err, result.code]).toEqual(["", flag === "--approve-all" ? 0 : result.code]);
      expect(readFileSync(project.file("main.tf"), "utf8")).toBe(written);
      expect(result.out).toContain("Read main.tf");
      model.assertValid();
    },
  );
}

test.skipIf(!hasAcpx)(
  "acpx finds us by the name of the page's configuration and goes on with a session, where acpx is installed",
  async () => {
    const page = readFileSync(join(ROOT, "docs/editors/acpx.md"), "utf8");
    const config = snippetsOf(page).find(({ language }) => language === "json")?.text ?? "";
    const [program, ...args] = [...PROGRAM, "acp"];
    const ours = config
      .replace('"command": "iac-code"', `"command": ${JSON.stringify(program)}`)
      .replace('"args": ["acp"]', `"args": ${JSON.stringify(args)}`);
    await using home = await tempDir({ ".acpx/config.json": ours });
    await using project = await tempDir({ "main.tf": MAIN_TF });
    await using model = await fakeModel([text("First."), text("Second.")]);
    const run = (...args: readonly string[]) =>
      runCli(["--cwd", project.path, "--ttl", "1", "iac-code", ...args], {
        command: acpx,
        home: home.path,
        cwd: project.path,
        env: model.env(),
      });
    expect((await run("sessions", "new")).code).toBe(0);
    expect((await run("prompt", "One")).out).toContain("First.");
    expect((await run("prompt", "Two")).out).toContain("Second.");
    const contents = model.requests[1]?.messages.map(({ content }) => content);
    expect(contents).toEqual(expect.arrayContaining(["One", "First.", "Two"]));
    await run("sessions", "close");
  },
);
