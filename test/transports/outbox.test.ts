// The bookkeeping behind every stream: exact replay or an honest resync, and bounds that hold.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { must } from "../../src/lib/assert.ts";
import type { Lane } from "../../src/transports/lane.ts";
import { Outbox, OUTBOX_LIMITS } from "../../src/transports/outbox.ts";

const limits = { ringEvents: 8, ringBytes: 1_000, maxUnsentBytes: 2_000, stallMs: 20 };
const laneOf = (outbox: Outbox, key = "") => must(outbox.laneFor(key));

/** Opens a stream and takes everything that waits. */
function take(outbox: Outbox, lane: Lane, lastEventId?: string) {
  const reader = new AbortController();
  const opening = lane.open(lastEventId);
  lane.reader = reader;
  const ids: number[] = [];
  for (;;) {
    const events = lane.peek(64);
    if (events.length === 0) return { opening, ids, reader };
    ids.push(...events.map(({ id }) => id));
    outbox.sent(lane, reader, events);
  }
}

function drop(outbox: Outbox, lane: Lane): void {
  lane.reader = undefined;
  outbox.trim();
}

test("a lane replays exactly the gap after the id that the client names", () => {
  const outbox = new Outbox(limits);
  const lane = laneOf(outbox);
  for (let n = 0; n < 3; n += 1) outbox.push(undefined, "{}");
  expect(take(outbox, lane).ids).toEqual([1, 2, 3]);
  drop(outbox, lane);
  for (let n = 0; n < 2; n += 1) outbox.push(undefined, "{}");
  expect(take(outbox, lane, "2")).toMatchObject({ opening: { type: "exact" }, ids: [3, 4, 5] });
  drop(outbox, lane);
  expect(take(outbox, lane)).toMatchObject({ opening: { type: "exact" }, ids: [] });
  drop(outbox, lane);
  expect(take(outbox, lane, "0").ids).toEqual([1, 2, 3, 4, 5]);
});

test("ids run through all lanes, and a session has its own lane from its first stream on", () => {
  const outbox = new Outbox(limits);
  outbox.push("s", "before");
  const session = laneOf(outbox, "s");
  outbox.push("s", "after");
  outbox.push(undefined, "other");
  expect(take(outbox, laneOf(outbox)).ids).toEqual([1, 3]);
  expect(take(outbox, session).ids).toEqual([2]);
  outbox.push("s", "waits");
  drop(outbox, session);
  outbox.dropLane("s");
  outbox.push("s", "late");
  drop(outbox, laneOf(outbox));
  laneOf(outbox).open(undefined);
  expect(
    laneOf(outbox)
      .peek(100)
      .map(({ data }) => data),
  ).toEqual(["waits", "late"]);
});

test("an id that is too old, foreign, malformed or of the future opens with resync and goes on live", () => {
  const outbox = new Outbox(limits);
  const lane = laneOf(outbox);
  const session = laneOf(outbox, "s");
  for (let n = 0; n < 12; n += 1) outbox.push(undefined, "{}");
  outbox.push("s", "{}");
  take(outbox, lane);
  take(outbox, session);
  outbox.push(undefined, "{}");
  const next = lane.peek(1);
  for (const id of ["3", "13", "14", "99", "x", "-1", "1e1", "", "5 "]) {
    drop(outbox, lane);
    expect([id, lane.open(id)]).toEqual([id, { type: "resync", oldest: lane.oldestId, at: 12 }]);
    expect(lane.peek(1)).toEqual(next);
  }
});

test("what overflowed while nobody read is told at the next opening, with or without an id", () => {
  const outbox = new Outbox(limits);
  const lane = laneOf(outbox);
  outbox.push(undefined, "{}");
  take(outbox, lane);
  drop(outbox, lane);
  for (let n = 0; n < 20; n += 1) outbox.push(undefined, "{}");
  expect(lane.count).toBe(8);
  const opened = take(outbox, lane);
  expect(opened.opening).toEqual({ type: "resync", oldest: 14, at: 13 });
  expect(opened.ids).toEqual([14, 15, 16, 17, 18, 19, 20, 21]);
  drop(outbox, lane);
  expect(take(outbox, lane, "13").opening).toEqual({ type: "exact" });
});

test("the ring is bounded by bytes too, and does not take what an open stream has yet to send", () => {
  const outbox = new Outbox(limits);
  const lane = laneOf(outbox);
  lane.open(undefined);
  lane.reader = new AbortController();
  for (let n = 0; n < 15; n += 1) expect(outbox.push(undefined, "x".repeat(100))).toBe(true);
  expect([lane.count, outbox.unsentBytes()]).toEqual([15, 1_500]);
  drop(outbox, lane);
  expect([lane.count, lane.oldestId]).toEqual([8, 8]);
  outbox.push(undefined, "x".repeat(700));
  expect(outbox.heldBytes()).toBeLessThanOrEqual(1_000);
});

test("an open stream that leaves too much unread is refused; one message alone may be larger", () => {
  const outbox = new Outbox(limits);
  const lane = laneOf(outbox);
  lane.open(undefined);
  lane.reader = new AbortController();
  expect(outbox.push(undefined, "x".repeat(5_000))).toBe(true);
  expect(outbox.push(undefined, "x")).toBe(false);
});

test("room() waits while the client reads, and only once for a client that does not", async () => {
  const outbox = new Outbox({ ...limits, stallMs: 15 });
  const lane = laneOf(outbox);
  lane.open(undefined);
  const reader = new AbortController();
  lane.reader = reader;
  outbox.push(undefined, "x".repeat(400));
  outbox.push(undefined, "x".repeat(400));
  let isRoomy = false;
  const room = outbox.room()?.then(() => (isRoomy = true));
  await Promise.resolve();
  expect(isRoomy).toBe(false);
  outbox.sent(lane, reader, lane.peek(1));
  await room;
  outbox.push(undefined, "x".repeat(400));
  await outbox.room();
  const start = performance.now();
  for (let n = 0; n < 100; n += 1) await outbox.room();
  // A hundred waits of 15 ms would be three times as long.
  expect(performance.now() - start).toBeLessThan(500);
});

test("a stream that was replaced no longer moves its lane", () => {
  const outbox = new Outbox(limits);
  const lane = laneOf(outbox);
  const { reader } = take(outbox, lane);
  lane.reader = new AbortController();
  outbox.push(undefined, "{}");
  outbox.sent(lane, reader, lane.peek(1));
  expect(lane.unsentCount).toBe(1);
});

test("any order of pushes, losses and returns is exact or says resync, and every bound holds", () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant("push" as const), bytes: fc.nat({ max: 300 }) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("drop" as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("open" as const), withId: fc.boolean() }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const outbox = new Outbox(limits);
      const lane = laneOf(outbox);
      let pushed = 0;
      let seen = 0;
      for (const one of steps) {
        if (one.do === "push") {
          outbox.push(undefined, "x".repeat(one.bytes));
          pushed += 1;
        } else if (one.do === "drop") {
          drop(outbox, lane);
        } else {
          const { opening, ids } = take(outbox, lane, one.withId ? String(seen) : undefined);
          const from = opening.type === "exact" ? seen : opening.at;
          expect(ids).toEqual(Array.from({ length: pushed - from }, (_, n) => from + n + 1));
          seen = pushed;
        }
        if (lane.reader === undefined) {
          expect(lane.count).toBeLessThanOrEqual(limits.ringEvents);
          expect(lane.bytes).toBeLessThanOrEqual(limits.ringBytes);
        }
      }
    }),
  );
});

test("ten thousand events for nobody stay within the ring", () => {
  const outbox = new Outbox(OUTBOX_LIMITS);
  for (let n = 0; n < 10_000; n += 1) outbox.push(undefined, "{}");
  expect(laneOf(outbox).count).toBe(4_096);
  expect(take(outbox, laneOf(outbox)).opening).toEqual({
    type: "resync",
    oldest: 5_905,
    at: 5_904,
  });
});
