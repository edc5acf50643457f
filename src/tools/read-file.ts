// read_file: one page of a text file of any size, with line numbers. Remembers what was seen, so that writes can refuse
// to overwrite what changed since.

import { z } from "zod";
import { count } from "../lib/text.ts";
import { cancelled, codeContent, failed, languageOf } from "./answers.ts";
import { readThroughClient } from "./client-files.ts";
import { describeFileError, type OpenedFile, openRegular } from "./disk-file.ts";
import { MAX_HASHED_BYTES, stampBytes, stampByStat } from "./file-stamp.ts";
import {
  BINARY_PROBE_BYTES,
  looksBinary,
  newStreamDecoder,
  NOT_UTF8,
  sniffEncoding,
} from "./file-text.ts";
import { LinePager, MAX_PAGE_LINES, type Page, renderPage } from "./line-pager.ts";
import { missingText, toAccess, type ToolPath, toToolPath } from "./tool-path.ts";
import type { FileStamp } from "./tool-session.ts";
import { defineTool, type ToolContext, type ToolResult } from "./tool.ts";

const CHUNK_BYTES = 1024 * 1024;

type Reading = { readonly page: Page; readonly stamp: FileStamp; readonly isWhole: boolean };

export const readFile = defineTool({
  name: "read_file",
  kind: "read",
  description:
    "Read a text file, a page at a time. Lines come numbered, as `number<TAB>text`; the numbers are not part of the file. Up to 2,000 lines or 50 kB a call: go on with `offset`. A file must be read before write_file or edit_file may change it.",
  args: z.object({
    path: z.string().describe("Relative to the working directory, or absolute."),
    offset: z.int().min(1).optional().describe("First line to read, from 1. Default 1."),
    limit: z.int().min(1).optional().describe("How many lines. Default and at most 2,000."),
  }),
  open: async ({ path, offset = 1, limit = MAX_PAGE_LINES }, place) => {
    const target = await toToolPath(path, place);
    if (typeof target === "string") return target;
    return {
      title: `Read ${target.shown}${offset > 1 ? ` from line ${offset}` : ""}`,
      access: { type: "read", paths: [toAccess(target)] },
      locations: [{ path: target.path, line: offset }],
      execute: (context) => run(target, offset, Math.min(limit, MAX_PAGE_LINES), context),
    };
  },
});

async function run(
  target: ToolPath,
  offset: number,
  limit: number,
  context: ToolContext,
): Promise<ToolResult> {
  if (context.signal.aborted) return cancelled();
  const opened = await openRegular(target.realPath);
  if (opened.type === "missing") return failed(await missingText(target));
  if (opened.type === "refused") return failed(`Cannot read ${target.shown}: ${opened.reason}.`);
  const pager = new LinePager(offset, limit);
  try {
    const text = await readThroughClient(target, opened.file, context);
    const reading =
      text === undefined
        ? await readDisk(opened.file, pager, context.signal)
        : readClientText(text, pager);
    if (context.signal.aborted) return cancelled();
    if (typeof reading === "string") return failed(`Cannot read ${target.shown}: ${reading}.`);
    context.session.files.set(target.realPath, reading.stamp);
    return answer(target, offset, reading);
  } catch (error) {
    return failed(`Cannot read ${target.shown}: ${describeFileError(error)}.`);
  } finally {
    await opened.file.handle.close();
  }
}

function readClientText(text: string, pager: LinePager): Reading {
  pager.push(text.startsWith("\uFEFF") ? text.slice(1) : text);
  return { page: pager.finish(), stamp: stampBytes(Buffer.from(text)), isWhole: true };
}

/** A string says why it cannot be shown. Small files are read to their end, for the hash and the number of lines. */
async function readDisk(
  file: OpenedFile,
  pager: LinePager,
  signal: AbortSignal,
): Promise<Reading | string> {
  const isHashed = file.size <= MAX_HASHED_BYTES;
  const hasher = new Bun.CryptoHasher("sha256");
  const buffer = new Uint8Array(CHUNK_BYTES);
  let decode: ReturnType<typeof newStreamDecoder> | undefined;
  let position = 0;
  let bomBytes = 0;
  while (!signal.aborted) {
    const { bytesRead } = await file.handle.read(buffer, 0, buffer.length, position);
    const bytes = buffer.subarray(0, bytesRead);
    if (!decode) {
      if (looksBinary(bytes)) return binaryReason(file);
      const start = sniffEncoding(bytes);
      bomBytes = start.bomBytes;
      decode = newStreamDecoder(start.encoding);
    }
    if (isHashed) hasher.update(bytes);
    try {
      pager.push(decode(position === 0 ? bytes.subarray(bomBytes) : bytes, bytesRead === 0));
    } catch {
      // The strict decoder throws at the first byte that is not UTF-8.
      return NOT_UTF8;
    }
    position += bytesRead;
    if (bytesRead === 0) break;
    if (!isHashed && pager.isComplete) break;
  }
  const page = pager.finish();
  const isWhole = isHashed || !pager.isComplete;
  const stamp = isHashed ? { hash: hasher.digest("hex"), size: position } : stampByStat(file);
  return { page, stamp, isWhole };
}

function binaryReason({ size }: OpenedFile): string {
  return `it is binary (a NUL byte in its first ${count(BINARY_PROBE_BYTES, "byte")}; ${size.toLocaleString("en")} bytes in all)`;
}

function answer(target: ToolPath, offset: number, { page, isWhole }: Reading): ToolResult {
  const { lines, totalLines, nextOffset } = page;
  const [first] = lines;
  const last = lines.at(-1);
  if (!first || !last) {
    const text =
      totalLines === 0
        ? `${target.shown} is empty.`
        : `${target.shown} has ${count(totalLines, "line")}; there is no line ${offset}.`;
    return { ok: totalLines === 0, text };
  }
  const of = isWhole ? ` of ${totalLines}` : "";
  const notice =
    nextOffset === undefined
      ? ""
      : `\n[Lines ${first.number}–${last.number}${of}. Go on with offset ${nextOffset}.]`;
  return {
    ok: true,
    text: renderPage(page) + notice,
    content: codeContent(lines.map(({ text }) => text).join("\n"), languageOf(target.path)),
    rawOutput: {
      firstLine: first.number,
      lastLine: last.number,
      ...(isWhole ? { totalLines } : {}),
    },
    locations: [{ path: target.path, line: first.number }],
  };
}
