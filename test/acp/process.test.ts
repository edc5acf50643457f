// The stories of the program's process, on the source tree.

import { test } from "bun:test";
import { join } from "node:path";
import { STORIES } from "../support/process-stories.ts";

const COMMAND = [process.execPath, join(import.meta.dir, "../../src/main.ts")];
const TEST_MS = 60_000;

for (const { name, run } of STORIES) test.concurrent(name, () => run(COMMAND), TEST_MS);
