// The stories of the program's process.

import { test } from "bun:test";
import { PROGRAM } from "../support/program.ts";
import { STORIES } from "../support/process-stories.ts";

const TEST_MS = 60_000;

for (const { name, run } of STORIES) test.concurrent(name, () => run(PROGRAM), TEST_MS);
