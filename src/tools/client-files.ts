// When a file goes through the client: one rule for reading, editing and writing, so that an unsaved buffer is never
// seen by one tool and missed by the next.

import { isInside, realPathOfDeepest } from "../lib/path-inside.ts";
import { type OpenedFile } from "./disk-file.ts";
import { sniffEncoding } from "./file-text.ts";
import type { ToolPath } from "./tool-path.ts";
import type { ToolContext } from "./tool.ts";

/** Larger files are read from disk: a client would send them as one message. */
const MAX_CLIENT_BYTES = 10 * 1024 * 1024;

function isInsideRoots(realPath: string, roots: readonly string[]): boolean {
  return roots.some((root) => isInside(root, realPath));
}

/**
 * The client's text of an existing file, or `undefined` to use the disk: no capability, outside the roots, too large,
 * marked with a byte order mark (a client's text cannot carry it), or the client failed.
 */
export async function readThroughClient(
  target: ToolPath,
  file: OpenedFile,
  context: ToolContext,
): Promise<string | undefined> {
  const { files, roots, signal } = context;
  if (!files?.canRead || !isInsideRoots(target.realPath, roots)) return undefined;
  if (file.size > MAX_CLIENT_BYTES) return undefined;
  const head = new Uint8Array(3);
  await file.handle.read(head, 0, head.length, 0);
  if (sniffEncoding(head).bomBytes > 0) return undefined;
  // The client opens the path as it was written: a link in it may lead elsewhere by now.
  if ((await realPathOfDeepest(target.path)) !== target.realPath) return undefined;
  return files.readText(target.path, signal);
}

/** True when the client took the write. */
export async function writeThroughClient(
  target: ToolPath,
  text: string,
  context: ToolContext,
): Promise<boolean> {
  const { files, roots, signal } = context;
  if (!files?.canWrite || !isInsideRoots(target.realPath, roots)) return false;
  return files.writeText(target.path, text, signal);
}
