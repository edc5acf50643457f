// Temporary folders that clean up after themselves: `await using dir = await tempDir({ "main.tf": "…" })`.

import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export type TempDir = AsyncDisposable & {
  readonly path: string;
  readonly file: (name: string) => string;
};

/** Makes a folder (its path is real) with the given files. */
export async function tempDir(
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<TempDir> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "iac-code-test-")));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
