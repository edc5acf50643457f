// The program as a child process with a home of its own.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentOptions } from "./acp-client.ts";
import { PROGRAM } from "./program.ts";

export type AgentProcess = AsyncDisposable & {
  readonly child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  readonly home: string;
  /** Base address of the HTTP transport. */
  readonly url: string;
  readonly stderr: () => string;
  readonly token?: string;
};

/** How long the program may take to end by itself before the test ends it. */
const END_MS = 12_000;

/** Starts it; over HTTP resolves when it says where it listens. */
export async function spawnAgent(
  kind: "stdio" | "http",
  options: AgentOptions = {},
): Promise<AgentProcess> {
  const ownHome =
    options.home === undefined ? mkdtempSync(join(tmpdir(), "iac-code-home-")) : undefined;
  const home = options.home ?? ownHome ?? "";
  const command = options.command ?? PROGRAM;
  const flags = kind === "http" ? ["--transport", "http", "--port", "0"] : [];
  const child = Bun.spawn([...command, "acp", ...flags, ...(options.args ?? [])], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      IACCODE_HOME: join(home, ".iac-code"),
      ...options.env,
    },
  });
  let stderr = "";
  const listening = Promise.withResolvers<string>();
  const readErrors = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      stderr += decoder.decode(chunk, { stream: true });
      const address = /listens on (http\S+)/.exec(stderr)?.[1];
      if (address !== undefined) listening.resolve(address);
    }
    listening.reject(new Error(`The program ended before it listened:\n${stderr}`));
  };
  const reading = readErrors();
  listening.promise.catch(() => undefined);
  const url = kind === "http" ? await listening.promise : "";
  const token = options.env?.["IACCODE_ACP_HTTP_TOKEN"];
  return {
    child,
    home,
    url,
    stderr: () => stderr,
    ...(token === undefined ? {} : { token }),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null) child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
      await child.exited;
      clearTimeout(timer);
      await reading;
      if (ownHome !== undefined) rmSync(ownHome, { recursive: true, force: true });
    },
  };
}
