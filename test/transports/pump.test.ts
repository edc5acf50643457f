// How the pump joins what is said into writes.

import { expect, test } from "bun:test";
import { must } from "../../src/lib/assert.ts";
import { CONNECTION_LANE, OUTBOX_LIMITS, Outbox } from "../../src/transports/outbox.ts";
import { pump } from "../../src/transports/pump.ts";

test("pump sends a lone message at once, and in one write what is said in a flood behind it", async () => {
  const outbox = new Outbox(OUTBOX_LIMITS);
  const lane = must(outbox.lanes.get(CONNECTION_LANE));
  const reader = new AbortController();
  lane.reader = reader;
  const writes: string[][] = [];
  let isFinished = false;
  const running = pump(
    {
      open: () => undefined,
      ping: () => undefined,
      send: (events) => {
        writes.push(events.map(({ data }) => data));
        return undefined;
      },
    },
    {
      outbox,
      lane,
      opening: lane.open(undefined),
      reader,
      pingMs: 60_000,
      isFinished: () => isFinished,
    },
  );
  const said = Array.from({ length: 50 }, (_, n) => `message ${n}`);
  // Each waits for a microtask, as a turn does that says one thing after the other.
  for (const data of said) await Promise.resolve(outbox.push(undefined, data));
  isFinished = true;
  lane.wake();
  await running;
  expect(writes.flat()).toEqual(said);
  expect(writes.length).toBeLessThanOrEqual(3);
  expect(writes[0]?.length).toBeLessThan(10);
});
