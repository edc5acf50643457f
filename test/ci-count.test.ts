// The counting of .ci/run: what a run must look like to count as green.

import { expect, test } from "bun:test";
import { countRun } from "../.ci/count.ts";

const LOG =
  "bun test v1\n\n 3 pass\n 1 skip\n 0 fail\n 7 expect() calls\nRan 4 tests across 2 files. [1.00s]\n";
const XML =
  '<?xml version="1.0"?>\n<testsuites name="bun test" tests="4" assertions="7" failures="0" skipped="1" time="1">\n';

test("countRun takes a green run as it is", () => {
  expect(countRun("a", LOG, XML, "0\n")).toEqual({ passed: 3, failed: 0, skipped: 1, faults: [] });
});

test("countRun counts a missing report, zero tests, an odd exit and differing totals as failures", () => {
  const faulty: readonly (readonly [string, string, string])[] = [
    ["", "", ""],
    [LOG, "", "0"],
    [LOG.replace("Ran 4", "Went 4"), XML, "0"],
    [
      " 0 pass\n 0 fail\nRan 0 tests across 1 file. [1ms]\n",
      '<testsuites name="x" tests="0" failures="0">',
      "0",
    ],
    [LOG, XML, "1"],
    [LOG, XML.replace('tests="4"', 'tests="3"'), "0"],
    [LOG.replace(" 0 fail", " 0 fail\n 1 error"), XML, "0"],
    [LOG.replace(" 0 fail", " 1 fail").replace(" 3 pass", " 2 pass"), XML, "0"],
  ];
  for (const [log, xml, code] of faulty)
    expect(countRun("a", log, xml, code).faults).not.toEqual([]);
});
