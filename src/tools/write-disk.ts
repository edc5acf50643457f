// Replacing a file's bytes so that a reader sees the old or the new content, never half of one: a temporary file in
// the same folder, then a rename. Mode and owner stay.

import { constants } from "node:fs";
import { type FileHandle, link, mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { newUuid } from "../lib/ids.ts";
import { describeFileError, errorCode, type OpenedFile } from "./disk-file.ts";

const EXCLUSIVE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const IN_PLACE = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NEW_FILE_MODE = 0o666;
const PRIVATE_MODE = 0o600;

/** What is known of the file that is replaced; absent for a new one. */
export type Replaced = Pick<OpenedFile, "mode" | "uid" | "gid" | "links">;

/** Writes `bytes` at `realPath`, making parents. A string says why it could not. */
export async function writeDisk(
  realPath: string,
  bytes: Uint8Array,
  replaced: Replaced | undefined,
): Promise<string | undefined> {
  const folder = dirname(realPath);
  try {
    await mkdir(folder, { recursive: true });
    // A link may have been put in place since the call was allowed.
    if ((await realpath(folder)) !== folder)
      return "a link was put into its path since the call was prepared";
    // A rename would give the other names of a hard-linked file another content.
    if (replaced && replaced.links > 1) return await writeInPlace(realPath, bytes);
    return await writeByRename(realPath, bytes, replaced);
  } catch (error) {
    return describeFileError(error);
  }
}

async function writeByRename(
  realPath: string,
  bytes: Uint8Array,
  replaced: Replaced | undefined,
): Promise<string | undefined> {
  const temporary = join(dirname(realPath), `.iac-code-${newUuid().slice(0, 13)}.tmp`);
  let handle: FileHandle;
  try {
    handle = await open(temporary, EXCLUSIVE, replaced ? PRIVATE_MODE : NEW_FILE_MODE);
  } catch (error) {
    // A folder that may not be written to can still hold a file that may.
    if (replaced && errorCode(error) === "EACCES") return writeInPlace(realPath, bytes);
    throw error;
  }
  try {
    let keepsOwner = true;
    try {
      await handle.writeFile(bytes);
      if (replaced) keepsOwner = await keepOwnerAndMode(handle, replaced);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (!keepsOwner) return await writeInPlace(realPath, bytes);
    if (replaced) await rename(temporary, realPath);
    else await publishNew(temporary, realPath);
    return undefined;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** False when the file belongs to somebody else and we may not give the new one away. */
async function keepOwnerAndMode(handle: FileHandle, replaced: Replaced): Promise<boolean> {
  const { uid, gid } = await handle.stat();
  if (uid !== replaced.uid || gid !== replaced.gid) {
    try {
      await handle.chown(replaced.uid, replaced.gid);
    } catch (error) {
      if (errorCode(error) === "EPERM") return false;
      throw error;
    }
  }
  // After chown, which clears the set-id bits.
  await handle.chmod(replaced.mode);
  return true;
}

/** Fails with EEXIST when somebody made the file meanwhile, where the file system knows hard links. */
async function publishNew(temporary: string, realPath: string): Promise<void> {
  try {
    await link(temporary, realPath);
  } catch (error) {
    if (errorCode(error) === "EEXIST")
      throw new Error("it was made by somebody else meanwhile; read it first", { cause: error });
    await rename(temporary, realPath);
  }
}

async function writeInPlace(realPath: string, bytes: Uint8Array): Promise<undefined> {
  const handle = await open(realPath, IN_PLACE);
  try {
    await handle.truncate(0);
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
