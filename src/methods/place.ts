// Where a session works: checks `cwd` and further directories as every method that opens a session must.

import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { invalidParams } from "../protocol/errors.ts";
import type { McpServerSpec } from "../protocol/params.ts";
import type { SessionPlace } from "../sessions/live-sessions.ts";

/** Why `path` cannot be worked in, or its real path. */
async function checkDirectory(
  path: string,
): Promise<{ readonly realPath: string } | { readonly fault: string }> {
  if (!isAbsolute(path)) return { fault: "must be an absolute path" };
  if (path.includes("\0")) return { fault: "must not hold a null character" };
  try {
    const realPath = await realpath(path);
    if (!(await stat(realPath)).isDirectory()) return { fault: "is not a directory" };
    await access(realPath, constants.R_OK | constants.X_OK);
    return { realPath };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return { fault: "does not exist" };
    if (code === "EACCES" || code === "EPERM") return { fault: "cannot be read" };
    return { fault: `cannot be used (${typeof code === "string" ? code : "unknown reason"})` };
  }
}

async function mustBeDirectory(field: string, path: string): Promise<string> {
  const checked = await checkDirectory(path);
  if ("fault" in checked) throw invalidParams({ [field]: checked.fault });
  return checked.realPath;
}

/** Throws -32602 whose data names the field and says why. */
export async function openPlace(
  cwd: string,
  more: readonly string[] | null | undefined,
  mcpServers: readonly McpServerSpec[],
): Promise<SessionPlace> {
  const realCwd = await mustBeDirectory("cwd", cwd);
  const additionalDirectories = more ?? [];
  const roots = [realCwd];
  for (const [index, path] of additionalDirectories.entries())
    roots.push(await mustBeDirectory(`additionalDirectories.${index}`, path));
  return { cwd, realCwd, roots: [...new Set(roots)], additionalDirectories, mcpServers };
}
