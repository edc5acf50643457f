// Commands that are started and left running: they write to a file, end with the session, and say when they end.

import { spawnGroup } from "../lib/process-group.ts";
import { failed } from "./answers.ts";
import { openLog } from "./bash-output.ts";
import { type CommandPlan, shellCommand } from "./bash-run.ts";
import type { ToolContext, ToolResult } from "./tool.ts";

/** What fails at once is told at once. */
const EARLY_EXIT_MS = 300;

export async function startInBackground(
  plan: CommandPlan,
  { session }: ToolContext,
): Promise<ToolResult> {
  try {
    const log = openLog(session.outputDir);
    const group = spawnGroup(shellCommand(plan), {
      cwd: plan.cwd,
      env: plan.env,
      output: { type: "pipes", onStdout: log.write, onStderr: log.write },
    });
    let isStopped = false;
    const stop = async () => {
      isStopped = true;
      await group.terminate();
      await group.closeOutput();
      log.close();
      session.background.delete(group.pid);
    };
    session.background.set(group.pid, {
      pid: group.pid,
      command: plan.command,
      logPath: log.path,
      stop,
    });
    const ended = group.exited.then(({ exitCode, signal }) => {
      const how = signal === undefined ? `exit code ${exitCode ?? "unknown"}` : `signal ${signal}`;
      if (!isStopped) {
        // Children of it that go on are still the session's to end.
        if (group.members().length === 0) session.background.delete(group.pid);
        session.notices.push(
          `The background command \`${plan.command}\` (pid ${group.pid}) has ended with ${how}. Its output is in ${log.path}.`,
        );
        void group.drained.then(() => log.close());
      }
      return how;
    });
    const early = await Promise.race([ended, Bun.sleep(EARLY_EXIT_MS)]);
    const state = early === undefined ? "It runs" : `It has already ended with ${early}`;
    return {
      ok: true,
      text: `Started in the background. ${state}; pid and process group ${group.pid}, output in ${log.path} (look at it with \`tail -n 50 ${log.path}\`). It ends with the session; to stop it before: \`kill -- -${group.pid}\`. Running in the background: ${listBackground(session.background)}.`,
      rawOutput: { pid: group.pid, logPath: log.path },
    };
  } catch (error) {
    return failed(
      `The command could not be started: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}

function listBackground(runs: ToolContext["session"]["background"]): string {
  const all = [...runs.values()].map(({ pid, command }) => `${pid} \`${command.slice(0, 80)}\``);
  return all.length === 0 ? "nothing" : all.join(", ");
}
