// How a session recognises that a file is still as it saw it.

import type { OpenedFile } from "./disk-file.ts";
import type { FileStamp } from "./tool-session.ts";

/**
 * Files up to this size are hashed whole on every read, which notices a change within the same second and of the same
 * size. Larger ones are known by inode, size and mtime: hashing 4 GB to show a page of it would take seconds, and no
 * tool here writes a file of that size.
 */
export const MAX_HASHED_BYTES = 64 * 1024 * 1024;

export function stampBytes(bytes: Uint8Array): FileStamp {
  return {
    hash: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
    size: bytes.byteLength,
  };
}

export function stampByStat({ inode, mtimeNs, size }: OpenedFile): FileStamp {
  return { hash: `stat:${inode}:${mtimeNs}`, size };
}

export function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.hash === b.hash && a.size === b.size;
}
