// repairHistory makes every history whole, and leaves a whole one alone.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { INTERRUPTED_TEXT } from "../../src/conversation/from-events.ts";
import { createHistoryRepair, repairHistory } from "../../src/conversation/history.ts";
import type { Message, ToolCall } from "../../src/conversation/messages.ts";
import { historyFaults } from "../support/strict-history.ts";

const call = (id: string, args = "{}", name = "bash"): ToolCall => ({ id, name, arguments: args });
const system: Message = { role: "system", text: "You help." };
const user = (text: string): Message => ({ role: "user", text });
const assistant = (text: string, ...toolCalls: ToolCall[]): Message => ({
  role: "assistant",
  text,
  toolCalls,
});
const result = (toolCallId: string, text = "ok"): Message => ({ role: "tool", toolCallId, text });

describe("repairHistory", () => {
  test("leaves a whole history as it is", () => {
    const messages = [system, user("hi"), assistant("", call("a")), result("a"), assistant("Done")];
    expect(repairHistory(messages)).toEqual({ messages, changed: false });
    expect(repairHistory(messages).messages).toBe(messages);
  });

  test("adds a result for each call that has none, right behind its message", () => {
    const messages = [user("hi"), assistant("", call("a"), call("b")), result("b"), user("next")];
    expect(repairHistory(messages)).toEqual({
      changed: true,
      messages: [
        user("hi"),
        assistant("", call("a"), call("b")),
        result("a", INTERRUPTED_TEXT),
        result("b"),
        user("next"),
      ],
    });
  });

  test("drops a result without its call, and the second of two", () => {
    const messages = [
      user("hi"),
      result("x"),
      assistant("", call("a")),
      result("a", "1"),
      result("a", "2"),
    ];
    expect(repairHistory(messages).messages).toEqual([
      user("hi"),
      assistant("", call("a")),
      result("a", "1"),
    ]);
  });

  test("moves a late result back to its call", () => {
    const messages = [user("hi"), assistant("", call("a")), user("wait"), result("a", "late")];
    expect(repairHistory(messages).messages).toEqual([
      user("hi"),
      assistant("", call("a")),
      result("a", "late"),
      user("wait"),
    ]);
  });

  test("gives the second use of an id a new one, with its own result", () => {
    const messages = [
      user("hi"),
      assistant("", call("a")),
      assistant("", call("a")),
      result("a", "second"),
    ];
    expect(repairHistory(messages).messages).toEqual([
      user("hi"),
      assistant("", call("a")),
      result("a", INTERRUPTED_TEXT),
      assistant("", call("a_2")),
      result("a_2", "second"),
    ]);
  });

  test.each([`{"path": "a.tf"`, " ", `description": "x"`, "[1]", `"str"`, "null", ""])(
    "sends {} in place of the arguments %p",
    (args) => {
      const { messages } = repairHistory([user("hi"), assistant("", call("a", args)), result("a")]);
      expect(messages[1]).toEqual(assistant("", call("a")));
    },
  );

  test("decodes arguments that are JSON within a JSON string, and keeps others byte for byte", () => {
    const twice = JSON.stringify(`{"path":"x"}`);
    const { messages } = repairHistory([
      user("hi"),
      assistant("", call("a", twice), call("b", `{ "k":1 }`)),
      result("a"),
      result("b"),
    ]);
    expect(messages[1]).toEqual(assistant("", call("a", `{"path":"x"}`), call("b", `{ "k":1 }`)));
  });

  test("merges adjacent user messages, joins system messages and drops empty ones", () => {
    const messages = [
      user("a"),
      system,
      assistant(" "),
      user("b"),
      user(""),
      { role: "system", text: "More." } as const,
    ];
    expect(repairHistory(messages).messages).toEqual([
      { role: "system", text: "You help.\n\nMore." },
      user("a\n\nb"),
    ]);
  });

  const anyText = fc.oneof(fc.constantFrom("", " ", "text", "\ud800", "多"), fc.string());
  const anyId = fc.constantFrom("a", "b", "c", "a_2", "functions.bash:0", "", "x".repeat(60));
  const anyCall = fc.record({
    id: anyId,
    name: fc.constantFrom("bash", "read_file", "", "functions.bash", "ö"),
    arguments: fc.oneof(fc.constantFrom("", "{}", "null", `{"a":1}`, `"{}"`, `{"a`), fc.json()),
  });
  const anyMessage: fc.Arbitrary<Message> = fc.oneof(
    fc.record({ role: fc.constantFrom("system" as const, "user" as const), text: anyText }),
    fc.record({ role: fc.constant("tool" as const), toolCallId: anyId, text: anyText }),
    fc.record({
      role: fc.constant("assistant" as const),
      text: anyText,
      toolCalls: fc.array(anyCall, { maxLength: 3 }),
    }),
  );

  test("makes any history pass the strictest endpoint, and is settled after one pass", () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 12 }), (history) => {
        const { messages } = repairHistory(history);
        if (messages.length > 0) expect(historyFaults(messages)).toEqual([]);
        expect(repairHistory(messages).changed).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  test("says that nothing changed exactly when the history was whole", () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { minLength: 1, maxLength: 6 }), (history) => {
        const { changed } = repairHistory(history);
        expect(changed).toBe(historyFaults(history).length > 0);
      }),
      { numRuns: 2000 },
    );
  });

  test("keeps every text a user or a model said", () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 12 }), (history) => {
        const told = JSON.stringify(repairHistory(history).messages);
        for (const message of history)
          if (message.role !== "tool" && message.text.trim() !== "")
            expect(told).toContain(JSON.stringify(message.text.toWellFormed()).slice(1, -1));
      }),
    );
  });

  test("createHistoryRepair says of a growing history what repairHistory says of the whole", () => {
    fc.assert(
      fc.property(
        fc.array(anyMessage, { maxLength: 12 }),
        fc.array(fc.nat(12), { maxLength: 6 }),
        fc.boolean(),
        (history, cuts, isSystemNew) => {
          const repair = createHistoryRepair();
          for (const cut of [...cuts.toSorted((a, b) => a - b), history.length]) {
            const own = isSystemNew ? [{ ...system }] : [];
            const known = [...own, ...history.slice(0, cut)];
            expect(repair(known)).toEqual(repairHistory(known));
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("createHistoryRepair takes another history for what it is", () => {
    const repair = createHistoryRepair();
    const first = [system, user("hi"), assistant("", call("a")), result("a")];
    repair(first);
    const compacted = [system, user("Summary"), assistant("", call("a")), result("a", "late")];
    expect(repair(compacted)).toEqual({ messages: compacted, changed: false });
    expect(repair(first.slice(0, 2))).toEqual({ messages: first.slice(0, 2), changed: false });
  });

  test("createHistoryRepair gives a late result to its call", () => {
    const repair = createHistoryRepair();
    const begun = [user("hi"), assistant("", call("a")), user("wait")];
    const whole = [...begun, result("a", "late")];
    repair(begun);
    expect(repair(whole)).toEqual(repairHistory(whole));
  });
});
