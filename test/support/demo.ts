// `bun run demo`: the main job on a copy of examples/terraform, so that the example stays as it is whatever you allow.
// Exits 0 when the review ran, also when a change was offered and nobody was there to allow it.

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT } from "../../src/cli/command.ts";

const root = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "iac-code-demo-"));
const project = join(folder, "terraform");
cpSync(join(root, "examples/terraform"), project, { recursive: true });

console.error(`iac-code run --cwd ${project} "Review this project and offer safe fixes."\n`);
const child = Bun.spawn(
  [
    process.execPath,
    join(root, "src/main.ts"),
    "run",
    "--cwd",
    project,
    "Review this project and offer safe fixes.",
  ],
  { stdin: "inherit", stdout: "inherit", stderr: "inherit" },
);
const code = await child.exited;
if (code === EXIT.denied)
  console.error(
    "\nNothing was changed: without a terminal nobody can allow it. Run it in a terminal to be asked.",
  );
if (code === EXIT.ok) console.error(`\nThe reviewed copy was ${project}; it is removed now.`);
rmSync(folder, { recursive: true, force: true });
process.exitCode = code === EXIT.denied ? 0 : code;
