// Running a command in a terminal of the client's, embedded in the tool call. The terminal is released on every path.

import { gitEnvironment, QUIET_ENVIRONMENT } from "./bash-env.ts";
import { OutputKeeper } from "./bash-output.ts";
import type { CommandPlan, CommandRun } from "./bash-run.ts";
import type { ClientTerminal, ClientTerminalRun, ToolContext } from "./tool.ts";

const OUTPUT_BYTE_LIMIT = 1024 * 1024;

export type TerminalRun = CommandRun & { readonly terminalId: string };

/** `undefined`: the client did not take it; run it here. Never rejects. */
export async function runInTerminal(
  plan: CommandPlan,
  terminal: ClientTerminal,
  context: ToolContext,
): Promise<TerminalRun | undefined> {
  const limit = AbortSignal.timeout(plan.timeoutMs);
  const signal = AbortSignal.any([context.signal, limit]);
  let run: ClientTerminalRun | undefined;
  try {
    run = await terminal.run(
      plan.command,
      {
        cwd: plan.cwd,
        env: { ...gitEnvironment({}), ...QUIET_ENVIRONMENT },
        outputByteLimit: OUTPUT_BYTE_LIMIT,
      },
      signal,
    );
  } catch {
    // A client that fails to start a terminal is a client without one.
    return undefined;
  }
  if (!run) return undefined;
  const { terminalId } = run;
  try {
    context.progress([{ type: "terminal", terminalId }]);
    const { output, truncated, exitCode, signal: killedBy } = await run.finished;
    const kept = keep(truncated ? `[The client cut the beginning.]\n${output}` : output);
    if (context.signal.aborted)
      return { terminalId, output: kept, end: { type: "cancelled", goesOn: false } };
    if (limit.aborted) return { terminalId, output: kept, end: { type: "timed_out" } };
    const exit = {
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(killedBy === undefined ? {} : { signal: killedBy }),
    };
    return { terminalId, output: kept, end: { type: "exited", exit, leftBehind: [] } };
  } catch (error) {
    const reason = `the client's terminal failed: ${error instanceof Error ? error.message : String(error)}. The command may have run`;
    return { terminalId, output: "", end: { type: "not_started", reason } };
  } finally {
    await releaseQuietly(run);
  }
}

async function releaseQuietly(run: ClientTerminalRun): Promise<void> {
  try {
    await run.release();
  } catch {
    // The client no longer knows it, which is what a release is for.
  }
}

function keep(output: string): string {
  const keeper = new OutputKeeper(() => undefined);
  keeper.push("stdout", Buffer.from(output));
  return keeper.render();
}
