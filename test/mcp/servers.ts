// What the tests of this room start: servers of one session, with what they need and what may be looked at afterwards.

import type { McpServerSpec } from "../../src/protocol/params.ts";
import { McpServers } from "../../src/mcp/servers.ts";
import { MCP_SERVER } from "../support/mcp-servers.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";

export const NEVER = new AbortController().signal;
const WAIT_MS = 45_000;

export function stdio(name: string, how = "well", env: Record<string, string> = {}): McpServerSpec {
  return { type: "stdio", name, command: process.execPath, args: [MCP_SERVER, how], env };
}

export type Session = AsyncDisposable & {
  readonly servers: McpServers;
  readonly project: TempDir;
  /** Calls a tool by the name the model has for it. */
  readonly call: (
    name: string,
    args?: object,
    more?: { readonly signal?: AbortSignal; readonly onProgress?: (text: string) => void },
  ) => Promise<{ readonly ok: boolean; readonly text: string }>;
};

/** Starts the servers and waits for them as a first turn does. */
export async function openServers(
  specs: readonly McpServerSpec[],
  configured: readonly McpServerSpec[] = [],
): Promise<Session> {
  const project = await tempDir();
  const servers = new McpServers({
    version: "0",
    cwd: project.path,
    roots: [project.path],
    inherited: process.env,
    configured,
  });
  servers.use(specs);
  await servers.settle(NEVER);
  return {
    servers,
    project,
    call: async (name, args = {}, { signal = NEVER, onProgress } = {}) => {
      const tool = servers.tools().find((one) => one.name === name);
      if (tool === undefined)
        throw new Error(`There is no tool ${name}: ${JSON.stringify(servers.status())}`);
      const prepared = await tool.prepare(args);
      if (!prepared.ok) return prepared;
      return prepared.call.execute({
        signal,
        progress: ([content]) => onProgress?.(content?.text ?? ""),
      });
    },
    [Symbol.asyncDispose]: async () => {
      await servers.dispose();
      await project[Symbol.asyncDispose]();
    },
  };
}

/** Resolves when `condition` holds; rejects when it takes too long. */
export async function until<T>(condition: () => T | undefined | false): Promise<T> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const value = condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`Waited too long for ${String(condition)}`);
    await Bun.sleep(20);
  }
}
