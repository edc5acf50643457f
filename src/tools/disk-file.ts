// Opening a regular file by its real path, so that what was allowed is what is opened: links put in place since are
// refused, and so are pipes, devices and folders, none of which can block the opening.

import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";

export type OpenedFile = {
  readonly handle: FileHandle;
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly links: number;
  readonly inode: bigint;
  readonly mtimeNs: bigint;
};

export type Opened =
  | { readonly type: "file"; readonly file: OpenedFile }
  | { readonly type: "missing" }
  /** `reason` completes "Cannot read x: ". */
  | { readonly type: "refused"; readonly reason: string };

/** Opens for reading. The caller closes `file.handle`. */
export async function openRegular(realPath: string): Promise<Opened> {
  let handle: FileHandle;
  try {
    handle = await open(realPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return openFault(error);
  }
  const refuse = async (reason: string): Promise<Opened> => {
    await handle.close();
    return { type: "refused", reason };
  };
  const stat = await handle.stat({ bigint: true });
  if (stat.isDirectory()) return refuse("it is a folder; list_files shows what is in it");
  if (!stat.isFile()) return refuse("it is a pipe, socket or device, not a file");
  if ((await realPathOrNone(realPath)) !== realPath)
    return refuse("a link was put into its path since the call was prepared");
  return {
    type: "file",
    file: {
      handle,
      size: Number(stat.size),
      mode: Number(stat.mode) & 0o7777,
      uid: Number(stat.uid),
      gid: Number(stat.gid),
      links: Number(stat.nlink),
      inode: stat.ino,
      mtimeNs: stat.mtimeNs,
    },
  };
}

function openFault(error: unknown): Opened {
  const code = errorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") return { type: "missing" };
  return { type: "refused", reason: describeFileError(error) };
}

/** The system's code of a failed file operation, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** What a failed file operation means, in words. */
export function describeFileError(error: unknown): string {
  switch (errorCode(error)) {
    case "EACCES":
    case "EPERM":
      return "permission was refused by the operating system";
    case "ELOOP":
      return "it is a link (or links lead in a circle)";
    case "ENAMETOOLONG":
      return "its name is too long for the file system";
    case "ENXIO":
      return "it is a pipe, socket or device, not a file";
    case "ENOSPC":
    case "EDQUOT":
      return "there is no space left on the disk";
    case "EROFS":
      return "the file system is read-only";
    case "EISDIR":
      return "it is a folder";
    case "ENOTDIR":
    case "EEXIST":
      return "something that is not a folder stands in its path";
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

async function realPathOrNone(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    // It was moved or removed after it was opened.
    return undefined;
  }
}
