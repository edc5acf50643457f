// A unix socket's file: made private, and cleared away when its last server died without doing so.

import { chmodSync } from "node:fs";
import { lstat, unlink } from "node:fs/promises";

/** Only the owner may connect. */
const SOCKET_MODE = 0o600;
/** The file must never exist with another mode, not even between bind and chmod. */
const SOCKET_UMASK = 0o177;

/** Runs `serve`, which binds `path`, so that the socket is 0600 from its first moment. */
export function servePrivately<T>(path: string, serve: () => T): T {
  const previous = process.umask(SOCKET_UMASK);
  try {
    const server = serve();
    chmodSync(path, SOCKET_MODE);
    return server;
  } finally {
    process.umask(previous);
  }
}

/** Removes a socket at `path` that nobody listens on; anything else there stays and makes the bind fail. */
export async function removeStaleSocket(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || !found.isSocket()) return;
  if (!(await isListening(path))) await unlink(path);
}

async function isListening(path: string): Promise<boolean> {
  try {
    const socket = await Bun.connect({ unix: path, socket: { data: () => undefined } });
    socket.end();
    return true;
  } catch {
    // Refused: its server is gone, and only the file is left.
    return false;
  }
}
