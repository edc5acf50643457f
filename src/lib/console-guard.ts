// Imported before anything else: whatever prints through the global console prints to stderr, because stdout carries
// protocol messages only. Also installs the last net for errors that nobody caught.

import { Console } from "node:console";

Object.assign(globalThis.console, new Console({ stdout: process.stderr, stderr: process.stderr }));

for (const name of ["unhandledRejection", "uncaughtException"] as const) {
  process.on(name, (error: unknown) => {
    // A broken pipe to a client that left is an ending, not a fault; whoever writes to it ends by himself.
    if (error instanceof Error && "code" in error && error.code === "EPIPE") return;
    process.stderr.write(
      `iac-code: ${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exitCode = 1;
  });
}
