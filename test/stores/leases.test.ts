import { expect, test } from "bun:test";
import { isProcessAlive, thisProcess } from "../../src/stores/leases.ts";

test("thisProcess names this process, the same each time", () => {
  expect(thisProcess()).toEqual(thisProcess());
  expect(thisProcess().pid).toBe(process.pid);
  expect(isProcessAlive(thisProcess())).toBe(true);
});

test.skipIf(process.platform !== "linux")(
  "isProcessAlive is not fooled by a process that got the same id later (Linux)",
  () => {
    const { startedAt, ...rest } = thisProcess();
    expect(isProcessAlive({ ...rest, startedAt: startedAt - 1 })).toBe(false);
  },
);

test("isProcessAlive trusts the process id alone when the start is a wall clock time", () => {
  expect(isProcessAlive({ ...thisProcess(), startedAt: Date.now() })).toBe(true);
});

test("isProcessAlive is false for a process that ended", async () => {
  await using child = Bun.spawn(["true"]);
  await child.exited;
  expect(isProcessAlive({ ...thisProcess(), pid: child.pid })).toBe(false);
});
