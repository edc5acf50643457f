// What load and resume share: the session must exist, and `cwd` must be its own.

import type { ClientPort } from "../dispatch/client-port.ts";
import { invalidParams } from "../protocol/errors.ts";
import type { McpServerSpec } from "../protocol/params.ts";
import type { LiveSession } from "../sessions/live-session.ts";
import type { LiveSessions } from "../sessions/live-sessions.ts";
import { openPlace } from "./place.ts";

type Params = {
  readonly sessionId: string;
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | null | undefined;
  readonly mcpServers: readonly McpServerSpec[];
};

/** Throws -32602 for an unknown session or another directory than the stored one, which it names. */
export async function openStored(
  { sessionId, cwd, additionalDirectories, mcpServers }: Params,
  client: ClientPort,
  sessions: LiveSessions,
): Promise<LiveSession> {
  const record = await sessions.mustBeStored(sessionId);
  const place = await openPlace(
    cwd,
    additionalDirectories ?? record.additionalDirectories,
    mcpServers,
  );
  if (place.realCwd !== record.realCwd)
    throw invalidParams({ cwd: `must be the session's own directory: ${record.cwd}` });
  return sessions.open(record, place, client);
}
