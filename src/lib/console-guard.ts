// Loaded before anything that may print: whatever prints through the global console prints to stderr, because stdout carries
// protocol messages only. Also installs the last net for errors that nobody caught.

import { lazily } from "./lazily.ts";

// A console of its own and the stream of stderr cost milliseconds of every start, and hardly a run prints anything.
const stderrConsole = lazily((): object => {
  const { Console } = globalThis.console;
  return new Console({ stdout: process.stderr, stderr: process.stderr });
});

for (const name of Object.keys(globalThis.console)) {
  // Reading `Console` would already load what is to wait.
  if (name === "Console" || typeof Reflect.get(globalThis.console, name) !== "function") continue;
  Reflect.set(globalThis.console, name, (...args: unknown[]): unknown => {
    const method: unknown = Reflect.get(stderrConsole(), name);
    // What only this runtime's console has, such as `write`, must not reach stdout either.
    return typeof method === "function"
      ? Reflect.apply(method, stderrConsole(), args)
      : process.stderr.write(args.join(" "));
  });
}

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
