// Adds up test runs: `count.ts FOLDER NAME…` reads NAME.log, NAME.xml and NAME.code of each run. A missing report, zero
// tests, an odd exit code, or totals that differ between console and report each count as one failure.

import { readFileSync } from "node:fs";
import { join } from "node:path";

type Counts = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly faults: readonly string[];
};

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // A run that never happened leaves no file; that is counted below.
    return "";
  }
}

const numberOf = (pattern: RegExp, text: string): number => Number(pattern.exec(text)?.[1] ?? 0);

/** Counts of one run, from its console output and its JUnit report. */
export function countRun(name: string, log: string, xml: string, code: string): Counts {
  const plain = log.replaceAll(/\u001b\[[0-9;]*m/g, "");
  const passed = numberOf(/^\s*(\d+) pass$/m, plain);
  const failed = numberOf(/^\s*(\d+) fail$/m, plain);
  const skipped = numberOf(/^\s*(\d+) skip$/m, plain) + numberOf(/^\s*(\d+) todo$/m, plain);
  const errors = numberOf(/^\s*(\d+) error/m, plain);
  const ran = /^Ran (\d+) tests? across/m.exec(plain)?.[1];
  const reported = /<testsuites [^>]*tests="(\d+)"[^>]*failures="(\d+)"/.exec(xml);
  const faults: string[] = [];
  if (ran === undefined) faults.push(`${name}: the console shows no "Ran N tests" line`);
  else if (Number(ran) === 0 || passed + failed === 0) faults.push(`${name}: no test ran`);
  if (reported === null) faults.push(`${name}: there is no JUnit report`);
  else if (Number(reported[2]) > failed)
    faults.push(`${name}: the report counts ${reported[2]} failures, the console ${failed}`);
  else if (Number(reported[1]) !== passed + failed + skipped)
    faults.push(
      `${name}: the report counts ${reported[1]} tests, the console ${passed + failed + skipped}`,
    );
  if (errors > 0) faults.push(`${name}: ${errors} errors outside tests`);
  if (code.trim() !== "0" && failed === 0)
    faults.push(`${name}: ended with ${code.trim() || "no exit code"} though no test failed`);
  if (code.trim() === "0" && failed > 0) faults.push(`${name}: ended with 0 though tests failed`);
  return { passed, failed, skipped, faults };
}

if (import.meta.main) {
  const [folder = ".", ...names] = process.argv.slice(2);
  const runs = names.map((name) => {
    const file = (kind: string) => read(join(folder, `${name}.${kind}`));
    return countRun(name, file("log"), file("xml"), file("code"));
  });
  const sum = (pick: (run: Counts) => number) => runs.reduce((total, run) => total + pick(run), 0);
  const faults = runs.flatMap((run) => run.faults);
  for (const fault of faults) console.log(`FAULT ${fault}`);
  const failed = sum((run) => run.failed) + faults.length;
  console.log(
    `${sum((run) => run.passed)} passed, ${failed} failed, ${sum((run) => run.skipped)} skipped`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
}
