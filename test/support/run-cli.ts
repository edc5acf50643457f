// Runs the program as a command and collects what it printed.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "./program.ts";

export type CliResult = { readonly code: number; readonly out: string; readonly err: string };

export type CliOptions = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly home?: string;
  readonly command?: readonly string[];
};

export async function runCli(
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), "iac-code-cli-"));
  const child = Bun.spawn([...(options.command ?? PROGRAM), ...args], {
    cwd: options.cwd ?? home,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      IACCODE_HOME: join(home, ".iac-code"),
      OLLAMA_HOST: "127.0.0.1:9",
      ...options.env,
    },
    stdin: new Blob([options.stdin ?? ""]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { code, out, err };
}
