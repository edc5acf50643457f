// The soak in short: forty turns with every kind of trouble. The long one is `bun run bench soak`.

import { expect, test } from "bun:test";
import { soakFor } from "../bench/soak.ts";

const TURNS = 40;

test("after forty turns of trouble every session loads, every history is whole and no process is left", async () => {
  const report = await soakFor(TURNS, 7);
  expect(report.faults).toEqual([]);
  expect(report.requests).toBeGreaterThan(TURNS);
  expect(Object.keys(report.drawn).length).toBeGreaterThan(25);
  for (const ms of report.cancelMs) expect(ms).toBeLessThan(1_000);
}, 120_000);
