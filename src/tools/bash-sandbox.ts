// Which commands run in the sandbox, and what is said of it. How a sandbox is made is sandbox.ts.

import type { CommandAnalysis } from "../conversation/access.ts";
import type { CommandPlan } from "./bash-run.ts";
import { sandboxArgv } from "./sandbox.ts";
import type { ToolContext } from "./tool.ts";

/**
 * The plan in its cage, where it belongs in one; a string says why it may not run at all. What is stopped gently stays
 * outside: it must outlive this program and be reached by its one SIGINT.
 */
export async function inSandbox(
  plan: CommandPlan,
  analysis: CommandAnalysis,
  { settings, session, roots }: ToolContext,
): Promise<CommandPlan | string> {
  const { sandbox: mode = "off" } = settings;
  const isReading = analysis.class === "read";
  if (mode === "off" || plan.isGentle || (mode === "auto" && !isReading)) return plan;
  const sandbox = await session.sandbox();
  if (!sandbox.ok)
    return mode === "auto"
      ? plan
      : `The command was not run: the user's settings demand a sandbox (sandbox: "require"), and there is none, since ${sandbox.reason}. Tell the user.`;
  const writable = [...roots, session.outputDir];
  const cage = { cwd: plan.cwd, writable, hasNetwork: !isReading };
  return { ...plan, cage: sandboxArgv(sandbox.program, cage) };
}

/** Said when a command fails in a cage, since the cage may be why. */
export function sandboxNote({ cage }: CommandPlan): string | undefined {
  if (cage === undefined) return undefined;
  const network = cage.includes("--unshare-net") ? "without network, " : "";
  return `It ran in a sandbox: ${network}with nothing writable but the project and temporary folders.`;
}
