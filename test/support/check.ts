// `bun run check`: format, lint with types, type check, layering, unused code. One line when green; else what is wrong.

import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const bin = (name: string) => join(ROOT, "node_modules/.bin", name);

const STEPS: readonly (readonly [name: string, command: readonly string[]])[] = [
  ["format", [bin("oxfmt"), "--check"]],
  ["lint", [bin("oxlint"), "--type-aware"]],
  ["types", [bin("tsc"), "--noEmit", "-p", "."]],
  ["layering", [process.execPath, "test", "test/layering.test.ts"]],
  ["unused code", [bin("knip"), "--no-progress"]],
];

const started = performance.now();
const failed: string[] = [];
for (const [name, command] of STEPS) {
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (code === 0) continue;
  failed.push(name);
  console.error(`--- ${name}\n${out}${err}`);
}
if (failed.length === 0)
  console.log(
    `check: ${STEPS.map(([name]) => name).join(", ")} are green (${((performance.now() - started) / 1000).toFixed(1)} s)`,
  );
else console.error(`check: failed in ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
