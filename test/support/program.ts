// The program that tests and benchmarks drive: the built binary where nothing that it is made of has changed since, else
// the sources. The binary is what users run, and it starts with a third of the work.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const BINARY = join(ROOT, "dist/iac-code");
const INGREDIENTS = ["package.json", "bun.lock", "tsconfig.json", "build.ts"];

/** The program as its sources: for what only they have, and for who must not start a binary. */
export const SOURCES: readonly string[] = [process.execPath, join(ROOT, "src/main.ts")];

/** Whether `dist/iac-code` is newer than all that it is built from. */
export function isBuilt(): boolean {
  const built = statSync(BINARY, { throwIfNoEntry: false });
  if (built === undefined) return false;
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  return [...INGREDIENTS, ...files.map((name) => join("src", name))].every(
    (name) => statSync(join(ROOT, name)).mtimeMs <= built.mtimeMs,
  );
}

/** The command without arguments, decided once a process. */
export const PROGRAM: readonly string[] = isBuilt() ? [BINARY] : SOURCES;

/** `PROGRAM` for a line of sh. */
export const QUOTED_PROGRAM = PROGRAM.map((word) => `'${word}'`).join(" ");
