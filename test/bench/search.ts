// How long glob and grep take over 50,000 files, beside ripgrep where it is installed. Run by `bun run bench`.

import { mkdirSync, writeFileSync } from "node:fs";
import { glob } from "../../src/tools/glob.ts";
import { grep } from "../../src/tools/grep.ts";
import { tempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";

const FOLDERS = 1_000;
const FILES_PER_FOLDER = 50;
const RUNS = 3;
const LINE =
  'resource "aws_instance" "web" {\n  ami = "ami-123456"\n  tags = { Name = "web" }\n}\n';

function makeTree(root: string): void {
  writeFileSync(`${root}/.gitignore`, "*.log\nbuild/\n");
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = `${root}/m${folder % 20}/s${folder}`;
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_PER_FOLDER; file++) {
      const isNeedle = folder % 100 === 0 && file === 0;
      writeFileSync(`${path}/f${file}.tf`, LINE.repeat(30) + (isNeedle ? "needle_in_hay\n" : ""));
    }
  }
}

/** Best of three, in milliseconds. */
async function best(work: () => Promise<unknown>): Promise<number> {
  let result = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now();
    await work();
    result = Math.min(result, performance.now() - start);
  }
  return Math.round(result);
}

/** Milliseconds by what was done. */
export async function bench(): Promise<Readonly<Record<string, number>>> {
  await using dir = await tempDir();
  makeTree(dir.path);
  await using tools = await toolContext(dir.path);
  const results: Record<string, number> = {
    "glob **/*.tf, 50,000 files": await best(() => tools.run(glob, { pattern: "**/*.tf" })),
    "grep literal, 50,000 files": await best(() => tools.run(grep, { pattern: "needle_in_hay" })),
    "grep expression without literal": await best(() =>
      tools.run(grep, { pattern: "^n[aeiou]+d", output: "files" }),
    ),
  };
  if (Bun.which("rg")) {
    const rg = (...args: string[]) =>
      best(() => Bun.spawn(["rg", ...args, dir.path], { stdout: "ignore" }).exited);
    results["ripgrep literal"] = await rg("needle_in_hay");
    results["ripgrep files"] = await rg("--files", "-g", "*.tf");
  }
  return results;
}
