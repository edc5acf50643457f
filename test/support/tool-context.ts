// A context to run tools in: a place, a signal, a session, and everything a test may want to look at afterwards.

import { join } from "node:path";
import type { ToolContent } from "../../src/conversation/content.ts";
import {
  createToolSession,
  disposeToolSession,
  type ToolSession,
} from "../../src/tools/tool-session.ts";
import type { PreparedCall, Tool, ToolContext, ToolResult } from "../../src/tools/tool.ts";
import { tempDir } from "./temp-dir.ts";

export type TestToolContext = AsyncDisposable & {
  readonly context: ToolContext;
  readonly session: ToolSession;
  /** Aborts the context's signal. */
  readonly abort: () => void;
  /** What was reported while calls ran, oldest first. */
  readonly progress: (readonly ToolContent[])[];
  /** Prepares and executes; throws when the arguments are refused. */
  readonly run: (tool: Tool, args: unknown) => Promise<ToolResult>;
  /** Prepares only; throws when the arguments are refused. */
  readonly prepare: (tool: Tool, args: unknown) => Promise<PreparedCall>;
};

/** `cwd` is a real path. `overrides` replace members of the context. */
export async function toolContext(
  cwd: string,
  overrides: Partial<ToolContext> = {},
): Promise<TestToolContext> {
  const home = await tempDir();
  const controller = new AbortController();
  const session = createToolSession(join(home.path, "outputs"));
  const progress: (readonly ToolContent[])[] = [];
  const context: ToolContext = {
    cwd,
    roots: [cwd],
    plans: session.plans,
    signal: controller.signal,
    progress: (content) => {
      progress.push(content);
    },
    session,
    settings: { fetchAllowPrivate: [] },
    ...overrides,
  };
  const prepare = async (tool: Tool, args: unknown) => {
    const prepared = await tool.prepare(args, context);
    if (!prepared.ok) throw new Error(prepared.text);
    return prepared.call;
  };
  return {
    context,
    session,
    abort: () => controller.abort(),
    progress,
    prepare,
    run: async (tool, args) => (await prepare(tool, args)).execute(context),
    [Symbol.asyncDispose]: async () => {
      controller.abort();
      await disposeToolSession(session);
      await home[Symbol.asyncDispose]();
    },
  };
}
