// Runs the store contract over every member.

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { memory, sqlite } from "../../src/stores/all.ts";
import { tempDir } from "../support/temp-dir.ts";
import type { TempDir } from "../support/temp-dir.ts";
import { storeContract } from "./contract.ts";

let dir: TempDir;
beforeAll(async () => {
  dir = await tempDir();
});
afterAll(() => dir[Symbol.asyncDispose]());

for (const kind of [memory, sqlite]) {
  storeContract(kind.name, (options = {}) =>
    kind.open({ path: dir.file(`${randomUUID()}/sessions.db`), now: () => 1, ...options }),
  );
}

test("the kinds of store have different names", () => {
  expect(new Set([memory.name, sqlite.name]).size).toBe(2);
});
