// Bytes to messages: any cutting gives the same messages, every fault one answer, and no input more than linear time.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Decoded } from "../../src/transports/message.ts";
import { encodeLine, LineDecoder } from "../../src/transports/ndjson.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

function decode(
  bytes: Uint8Array,
  chunkSizes: readonly number[] = [],
  maxLineBytes?: number,
): Decoded[] {
  const decoder = new LineDecoder(maxLineBytes);
  const all: Decoded[] = [];
  let start = 0;
  for (const size of chunkSizes) {
    all.push(...decoder.push(bytes.slice(start, start + size)));
    start += size;
  }
  return [...all, ...decoder.push(bytes.slice(start)), ...decoder.end()];
}

const decodeText = (text: string) => decode(bytesOf(text));
const parseError = {
  type: "fault",
  fault: { code: -32700, id: null, message: "Parse error: the message is not valid JSON" },
};
const invalid = (id: unknown = null) => ({
  type: "fault",
  fault: { code: -32600, id, message: expect.stringMatching(/^Invalid request: /) },
});
const ping = { type: "message", message: { jsonrpc: "2.0", id: 1, method: "ping" } } as const;
const pingLine = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

const arbitraryId = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
  fc.constant(null),
);
// Through JSON once, since what it cannot carry (-0, undefined members) is no message.
const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const arbitraryMessage = fc
  .record(
    {
      jsonrpc: fc.constant("2.0" as const),
      id: arbitraryId,
      method: fc.string({ unit: "binary" }),
      params: fc.oneof(
        fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()),
        fc.array(fc.jsonValue()),
      ),
    },
    { requiredKeys: ["jsonrpc", "method"] },
  )
  .map(throughJson);

test("LineDecoder gives the same messages for any cutting into chunks", () => {
  fc.assert(
    fc.property(
      fc.array(arbitraryMessage, { maxLength: 8 }),
      fc.array(fc.nat({ max: 40 }), { maxLength: 60 }),
      fc.constantFrom("\n", "\r\n", "\n\n", "\r\n \n"),
      (messages, sizes, lineEnd) => {
        const text = messages.map((message) => JSON.stringify(message) + lineEnd).join("");
        const expected = messages.map((message) => ({ type: "message", message }));
        expect(decode(bytesOf(text), sizes)).toEqual(expected as Decoded[]);
      },
    ),
  );
});

test("LineDecoder reads one byte at a time like all at once, faults included", () => {
  const bytes = bytesOf(`\uFEFF${pingLine}\r\nWelcome\n\n[]\n{"a":"äöü€😀"}\n${pingLine}`);
  const single = decode(
    bytes,
    Array.from(bytes, () => 1),
  );
  expect(single).toEqual(decode(bytes));
  expect(single).toEqual([ping, parseError, invalid(), invalid(), ping] as Decoded[]);
});

test("LineDecoder undoes encodeLine, also for line separators inside strings", () => {
  const message = {
    jsonrpc: "2.0",
    id: "\u2028\u2029\n\r\uD800",
    method: "x",
    params: { text: "\u2028 \u0085 \0" },
  } as const;
  const line = encodeLine(message);
  expect(line.indexOf("\n")).toBe(line.length - 1);
  expect(decodeText(line)).toEqual([{ type: "message", message }]);
});

test("LineDecoder passes blank lines over and goes on after every kind of rubbish", () => {
  expect(
    decodeText(`Welcome back\n\n\r\n  \nnull\n"x"\n7\n[]\n{"jsonrpc":\n${pingLine}\n`),
  ).toEqual([
    parseError,
    invalid(),
    invalid(),
    invalid(),
    invalid(),
    parseError,
    ping,
  ] as Decoded[]);
});

test("an object with the wrong shape is -32600 with its id where that is legal", () => {
  const cases: [object, unknown][] = [
    [{}, null],
    [{ id: 1, method: "x" }, 1],
    [{ jsonrpc: "1.0", id: "a", method: "x" }, "a"],
    [{ jsonrpc: "2.0", id: 1 }, 1],
    [{ jsonrpc: "2.0", id: 2, method: 5 }, 2],
    [{ jsonrpc: "2.0", id: true, method: "x" }, null],
    [{ jsonrpc: "2.0", id: {}, method: "x" }, null],
    [{ jsonrpc: "2.0", id: 2 ** 60, method: "x" }, null],
  ];
  for (const [message, id] of cases)
    expect(decodeText(JSON.stringify(message))).toEqual([invalid(id)] as Decoded[]);
});

test("an answer is taken in its sloppy forms, and a broken one is never answered with an error", () => {
  const taken = (answer: object) =>
    decodeText(JSON.stringify({ jsonrpc: "2.0", id: 1, ...answer }))[0];
  const message = (rest: object) => ({
    type: "message",
    message: { jsonrpc: "2.0", id: 1, ...rest },
  });
  expect(taken({ result: {}, error: null })).toEqual(message({ result: {} }) as Decoded);
  expect(taken({ result: null })).toEqual(message({ result: null }) as Decoded);
  const error = { code: -1, message: "no", data: 2 };
  expect(taken({ result: null, error })).toEqual(message({ error }) as Decoded);
  const repaired = { code: -32603, message: "The peer sent an error without a message" };
  expect(taken({ error: "no" })).toEqual(message({ error: repaired }) as Decoded);
  expect(decodeText('{"jsonrpc":"2.0","result":{}}')[0]?.type).toBe("ignored");
  expect(decodeText('{"id":1,"result":{}}')[0]?.type).toBe("ignored");
});

test("a line over the limit is one -32600, skipped to its end, whatever the cutting", () => {
  const bytes = bytesOf(`${pingLine}\n"${"x".repeat(500)}"\n${pingLine}\n`);
  const expected = [ping, invalid(), ping] as Decoded[];
  expect(decode(bytes, [], 100)).toEqual(expected);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 90 }), { maxLength: 40 }), (sizes) => {
      expect(decode(bytes, sizes, 100)).toEqual(expected);
    }),
  );
});

test("a line of exactly the limit passes", () => {
  expect(decode(bytesOf(`${pingLine}\n`), [], pingLine.length)).toEqual([ping]);
  expect(decode(bytesOf(`${pingLine}\n`), [], pingLine.length - 1)).toEqual([
    invalid(),
  ] as Decoded[]);
});

test("an endless line costs no memory once it is over the limit", () => {
  const decoder = new LineDecoder();
  const chunk = new Uint8Array(1024 * 1024).fill(120);
  const faults: Decoded[] = [];
  for (let n = 0; n < 70; n += 1) faults.push(...decoder.push(chunk));
  Bun.gc(true);
  const before = process.memoryUsage().rss;
  for (let n = 0; n < 1_000; n += 1) faults.push(...decoder.push(chunk));
  expect(faults).toEqual([invalid()] as Decoded[]);
  expect(process.memoryUsage().rss - before).toBeLessThan(20_000_000);
});

test("a long line in small pieces takes time linear in its length", () => {
  const decoder = new LineDecoder();
  const piece = new Uint8Array(1_024).fill(120);
  const start = performance.now();
  let yielded = 0;
  for (let sent = 0; sent < 48_000_000; sent += piece.length)
    yielded += [...decoder.push(piece)].length;
  expect(yielded).toBe(0);
  // A tenth of a second when linear; copying what is there for each piece would be a terabyte.
  expect(performance.now() - start).toBeLessThan(10_000);
});
