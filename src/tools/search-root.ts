// Where glob, grep and list_files begin.

import { stat } from "node:fs/promises";
import { describeFileError, errorCode } from "./disk-file.ts";
import { missingText, type ToolPath } from "./tool-path.ts";

export type RootType = "folder" | "file";

/** What stands at the path; a longer text says why nothing can be searched there. */
export async function searchRootOf(
  target: ToolPath,
): Promise<
  { readonly ok: true; readonly type: RootType } | { readonly ok: false; readonly text: string }
> {
  try {
    const found = await stat(target.realPath);
    if (found.isDirectory()) return { ok: true, type: "folder" };
    if (found.isFile()) return { ok: true, type: "file" };
    return { ok: false, text: `${target.shown} is a pipe, socket or device.` };
  } catch (error) {
    const isMissing = errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR";
    return {
      ok: false,
      text: isMissing
        ? await missingText(target)
        : `Cannot search ${target.shown}: ${describeFileError(error)}.`,
    };
  }
}

/** Notices in brackets, one a line, after a result. */
export function withNotices(text: string, notices: readonly string[]): string {
  return [text, ...notices.map((notice) => `[${notice}]`)].join("\n");
}
