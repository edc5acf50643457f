#!/usr/bin/env -S bun --no-env-file
// Entry: argv → sub-command. Sets the exit code and turns signals into an abort; never ends the process itself.

import { VERSION } from "./lib/version.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The first signal aborts; a second one ends the process at once, the way it would without us. */
function abortOnSignals(): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const listeners = SIGNALS.map((name) => {
    const listener = () => {
      if (!controller.signal.aborted) {
        controller.abort(name);
        return;
      }
      process.removeAllListeners(name);
      process.kill(process.pid, name);
    };
    process.on(name, listener);
    return [name, listener] as const;
  });
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const [name, listener] of listeners) process.off(name, listener);
    },
  };
}

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === "--version" || name === "-v") {
    // Not by process.stdout, whose making alone takes longer than all the rest.
    await Bun.write(Bun.stdout, `${VERSION}\n`);
    return 0;
  }
  // Before all else that is loaded, since what is loaded may print.
  await import("./lib/console-guard.ts");
  // The compiled binary is its own search process for grep (tools/grep-run.ts); no user calls this.
  if (name === "grep-worker") {
    await (await import("./tools/grep-worker.ts")).serveGrep();
    return 0;
  }
  const { commands } = await import("./cli/all.ts");
  const load = name === undefined ? undefined : commands[name];
  if (load === undefined) {
    const { mainHelp } = await import("./cli/help.ts");
    const { didYouMean } = await import("./iac/nearest.ts");
    const isAsked = name === "--help" || name === "-h" || name === "help";
    if (isAsked) {
      process.stdout.write(await mainHelp());
      return 0;
    }
    process.stderr.write(
      name === undefined
        ? await mainHelp()
        : `iac-code: Unknown command ${JSON.stringify(name)}.${didYouMean(name, Object.keys(commands))} See iac-code --help.\n`,
    );
    return 2;
  }
  const command = await load();
  const { UsageError, readArgs } = await import("./cli/command.ts");
  if (rest.includes("--help") || rest.includes("-h")) {
    const { commandHelp } = await import("./cli/help.ts");
    process.stdout.write(`${await commandHelp(command)}\n`);
    return 0;
  }
  using signals = abortOnSignals();
  try {
    return await command.run(readArgs(command, rest), signals.signal);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const said = /[.?]$/.test(error.message) ? error.message : `${error.message}.`;
    process.stderr.write(
      `iac-code ${command.name}: ${said} See iac-code ${command.name} --help.\n`,
    );
    return command.usageExit ?? 2;
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  // A reader that left early, as head does, is an ending and not a fault.
  if (!(error instanceof Error && "code" in error && error.code === "EPIPE")) {
    process.stderr.write(`iac-code: ${error instanceof Error ? error.message : String(error)}\n`);
    const { log } = await import("./lib/log.ts");
    log.debug("Failed", error);
    process.exitCode = 1;
  }
}
