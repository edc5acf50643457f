// What a file that is about to be changed holds now, whether this session may change it, and the change itself. Shared
// by write_file and edit_file, before the question and again after the answer.

import { mkdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { realPathOfDeepest } from "../lib/path-inside.ts";
import { readThroughClient, writeThroughClient } from "./client-files.ts";
import { describeFileError, type OpenedFile, openRegular } from "./disk-file.ts";
import { isSameStamp, MAX_HASHED_BYTES, stampBytes } from "./file-stamp.ts";
import { decodeText, encodeText, type FileText, isUniformlyCrlf } from "./file-text.ts";
import { LinePager, renderPage } from "./line-pager.ts";
import type { ToolPath } from "./tool-path.ts";
import type { FileStamp, ToolSession } from "./tool-session.ts";
import type { ToolContext } from "./tool.ts";
import { writeDisk } from "./write-disk.ts";

/** Lines of a changed file that a refusal shows. */
const SHOWN_LINES = 200;

export type CurrentFile = FileText & {
  readonly source: "client" | "disk";
  readonly stamp: FileStamp;
  /** Of the file on disk, also when the text is the client's. */
  readonly disk: Pick<OpenedFile, "mode" | "uid" | "gid" | "links">;
};

export type Current =
  | { readonly type: "missing" }
  | ({ readonly type: "text" } & CurrentFile)
  | { readonly type: "refused"; readonly reason: string };

export async function readCurrent(target: ToolPath, context: ToolContext): Promise<Current> {
  const opened = await openRegular(target.realPath);
  if (opened.type !== "file") return opened;
  const { file } = opened;
  try {
    const { mode, uid, gid, links } = file;
    const disk = { mode, uid, gid, links };
    const text = await readThroughClient(target, file, context);
    if (text !== undefined) {
      const stamp = stampBytes(Buffer.from(text));
      return { type: "text", encoding: "utf-8", text, source: "client", stamp, disk };
    }
    if (file.size > MAX_HASHED_BYTES)
      return { type: "refused", reason: "it is larger than 64 MiB; change it with bash" };
    const bytes = await file.handle.readFile();
    const decoded = decodeText(bytes);
    if (!decoded.ok) return { type: "refused", reason: decoded.reason };
    const { encoding, text: diskText } = decoded;
    return {
      type: "text",
      encoding,
      text: diskText,
      source: "disk",
      stamp: stampBytes(bytes),
      disk,
    };
  } catch (error) {
    return { type: "refused", reason: describeFileError(error) };
  } finally {
    await file.handle.close();
  }
}

/** Why this session may not change the file, or `undefined`. A changed file's beginning is shown, and counts as read when that is all of it. */
export function staleReason(
  target: ToolPath,
  current: CurrentFile,
  session: ToolSession,
): string | undefined {
  const seen = session.files.get(target.realPath);
  if (!seen)
    return `${target.shown} exists and has not been read in this session. Read it with read_file first, so that nothing in it is lost. Nothing was written.`;
  if (isSameStamp(seen, current.stamp)) return undefined;
  const pager = new LinePager(1, SHOWN_LINES);
  pager.push(current.text);
  const page = pager.finish();
  const isWhole = page.nextOffset === undefined && page.lines.every(({ cut }) => cut === 0);
  if (isWhole) session.files.set(target.realPath, current.stamp);
  const end = isWhole
    ? "That is all of it; the call can be made again, adapted to this content."
    : `[Cut after line ${page.lines.at(-1)?.number ?? 0}.] Read it again with read_file before changing it.`;
  return `${target.shown} was changed by somebody else since this session last saw it (${seen.size.toLocaleString("en")} bytes then, ${current.stamp.size.toLocaleString("en")} now). Nothing was written. It now holds:\n${renderPage(page)}\n${end}`;
}

export type Replacing =
  /** `note`: what is worth telling beside the success. */
  { readonly ok: true; readonly note?: string } | { readonly ok: false; readonly reason: string };

/** Keeps what the file held, for /undo, and writes. */
export async function replaceFile(
  target: ToolPath,
  next: FileText,
  current: CurrentFile | undefined,
  context: ToolContext,
): Promise<Replacing> {
  const { checkpoints, files } = context.session;
  const note = await checkpoints.keep(target, current && encodeText(current));
  // Before the write as well, so that a kill in between leaves nothing that undo would not know.
  const planned = stampBytes(encodeText(next)).hash;
  await checkpoints.leaves(target.realPath, planned);
  const reason = await putFile(target, next, current, context);
  if (reason !== undefined) return { ok: false, reason };
  const written = files.get(target.realPath)?.hash ?? planned;
  if (written !== planned) await checkpoints.leaves(target.realPath, written);
  return { ok: true, ...(note === undefined ? {} : { note }) };
}

/** The note of a success as the end of its text. */
export const noted = (written: Replacing): string =>
  written.ok && written.note !== undefined ? `\n[${written.note}]` : "";

/** Writes through the client or to disk and remembers the result. A string says why it could not. */
export async function putFile(
  target: ToolPath,
  next: FileText,
  current: CurrentFile | undefined,
  context: ToolContext,
): Promise<string | undefined> {
  const { session } = context;
  if ((await realPathOfDeepest(target.path)) !== target.realPath)
    return "a link was put into its path since the call was prepared";
  const bytes = encodeText(next);
  if (next.encoding === "utf-8" && context.files?.canWrite) {
    if (!current) {
      const fault = await makeParents(target);
      if (fault) return fault;
    }
    if (await writeThroughClient(target, next.text, context)) {
      session.files.set(target.realPath, await stampAfterClient(target, bytes, context));
      return undefined;
    }
  }
  const onDisk = current?.source === "client" ? await asOnDisk(target, next, current) : bytes;
  if (typeof onDisk === "string") return onDisk;
  const reason = await writeDisk(target.realPath, onDisk, current?.disk);
  if (reason === undefined) session.files.set(target.realPath, stampBytes(onDisk));
  return reason;
}

async function makeParents(target: ToolPath): Promise<string | undefined> {
  try {
    await mkdir(dirname(target.realPath), { recursive: true });
    return undefined;
  } catch (error) {
    return describeFileError(error);
  }
}

/** A client that cannot be read from may have written other line ends than it was given: what the disk holds counts. */
async function stampAfterClient(
  target: ToolPath,
  bytes: Uint8Array,
  context: ToolContext,
): Promise<FileStamp> {
  if (context.files?.canRead) return stampBytes(bytes);
  const current = await readCurrent(target, context);
  return current.type === "text" ? current.stamp : stampBytes(bytes);
}

/**
 * The bytes for a file that was read through a client which then did not take the write. An editor's unsaved text must
 * not go over its file behind its back, and an editor that shows CRLF files with LF must not turn them into LF files.
 */
async function asOnDisk(
  target: ToolPath,
  next: FileText,
  current: CurrentFile,
): Promise<Uint8Array | string> {
  const opened = await openRegular(target.realPath);
  if (opened.type !== "file") return encodeText(next);
  try {
    const disk = decodeText(await opened.file.handle.readFile());
    if (disk.ok && disk.text === current.text) return encodeText(next);
    if (
      disk.ok &&
      isUniformlyCrlf(disk.text) &&
      disk.text.replaceAll("\r\n", "\n") === current.text
    )
      return encodeText({ ...next, text: next.text.replaceAll("\n", "\r\n") });
    return "the editor holds another text than the disk and did not take the write. Save the file in the editor, then read it again";
  } finally {
    await opened.file.handle.close();
  }
}

/** Files that the file tools never write, with what to use instead. By real path, whatever the letters' case. */
export function protectedReason(target: ToolPath): string | undefined {
  for (const path of [target.path, target.realPath]) {
    const parts = path.toLowerCase().split(/[\\/]/);
    const name = basename(path).toLowerCase();
    if (parts.includes(".git"))
      return `${target.shown} belongs to git. Use git through bash instead. Nothing was written.`;
    if (parts.includes(".terraform"))
      return `${target.shown} is made by terraform. Use \`terraform init\` through bash instead. Nothing was written.`;
    if (name === ".terraform.lock.hcl")
      return `${target.shown} is made by terraform. Use \`terraform init -upgrade\` or \`terraform providers lock\` through bash instead. Nothing was written.`;
    if (name.includes(".tfstate"))
      return `${target.shown} is state. Use \`terraform state mv\`, \`terraform import\` or moved and removed blocks instead. Nothing was written.`;
  }
  return undefined;
}
