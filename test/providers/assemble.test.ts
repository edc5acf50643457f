// Quirky deltas become whole calls, text and thoughts, however the bytes are cut.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cut, recordings, replay, streamOf } from "./replay.ts";

type Call = object | string | null;
const tc = (index: number | null, id?: string | null, name?: string | null, args?: unknown) => ({
  ...(index !== null && { index }),
  ...(id !== undefined && { id }),
  function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
});
const delta = (value: unknown, finish: string | null = null) => ({
  choices: [{ index: 0, delta: value, finish_reason: finish }],
});
const entry = (...tool_calls: Call[]) => delta({ tool_calls });
const content = (text: string) => delta({ content: text });
const run = (...lines: (object | string)[]) => replay([streamOf(...lines, "[DONE]")]);
const LS = `{"command":"ls"}`;
const X = `{"path":"x.tf"}`;

test.each(recordings.map((recording) => [recording.family, recording] as const))(
  "a recorded stream of %s gives its calls, text, thoughts and usage",
  (_family, { bytes, expected }) => {
    const { ids, ...result } = replay([bytes]);
    expect(result).toEqual(expected);
    expect(ids.every((id) => /^[a-zA-Z0-9_-]{1,40}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  },
);

test("any cut of a recorded stream into packets, down to single bytes, gives the same answer", () => {
  for (const { bytes } of recordings) {
    const whole = replay([bytes]);
    expect(replay([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 20 }), (places) => {
        expect(replay(cut(bytes, places))).toEqual(whole);
      }),
      { numRuns: 20 },
    );
  }
});

test("a stream cut off anywhere before its finish is broken and runs no call", () => {
  for (const { bytes } of recordings) {
    const finish = new TextDecoder("latin1").decode(bytes).search(/"finish_reason": "/);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: finish }), (end) => {
        const result = replay([bytes.subarray(0, end)]);
        expect(result).toMatchObject({ finish: "broken", calls: [] });
      }),
      { numRuns: 20 },
    );
  }
});

describe("tool calls", () => {
  test.each<[string, (object | string)[], (readonly [string, string])[]]>([
    [
      "no index: a new id opens, no id continues",
      [
        entry(tc(null, "a", "read_file", `{"path":`)),
        entry(tc(null, undefined, undefined, `"x.tf"}`)),
        entry(tc(null, "b", "bash", LS)),
      ],
      [
        ["read_file", X],
        ["bash", LS],
      ],
    ],
    [
      "no index, both calls in one chunk",
      [entry(tc(null, "a", "read_file", X), tc(null, "b", "bash", LS))],
      [
        ["read_file", X],
        ["bash", LS],
      ],
    ],
    [
      "index 0 for every call",
      [entry(tc(0, "a", "read_file", X)), entry(tc(0, "b", "bash", LS))],
      [
        ["read_file", X],
        ["bash", LS],
      ],
    ],
    [
      "index 0 and no id for every call",
      [entry(tc(0, undefined, "read_file", X)), entry(tc(0, undefined, "bash", LS))],
      [
        ["read_file", X],
        ["bash", LS],
      ],
    ],
    ["no id", [entry(tc(0, undefined, "bash", LS))], [["bash", LS]]],
    [
      "empty and null ids continue",
      [
        entry(tc(0, "a", "bash", "")),
        entry(tc(0, "", "bash", `{"com`)),
        entry(tc(0, null, null, `mand":"ls"}`)),
      ],
      [["bash", LS]],
    ],
    [
      "arguments before the name",
      [
        entry(tc(0, "a", undefined, `{"com`)),
        entry(tc(0, "a", undefined, `mand":"ls"}`)),
        entry(tc(0, "a", "bash")),
      ],
      [["bash", LS]],
    ],
    [
      "id after the arguments",
      [entry(tc(0, undefined, "bash", LS)), entry(tc(0, "late"))],
      [["bash", LS]],
    ],
    [
      "a known id without a name continues its call whatever the index",
      [
        entry(tc(0, "a", "bash", `{"com`)),
        entry(tc(1, "b", "read_file", X)),
        entry(tc(7, "a", undefined, `mand":"ls"}`)),
      ],
      [
        ["bash", LS],
        ["read_file", X],
      ],
    ],
    [
      "a known id with a name opens a new call once the first is complete",
      [entry(tc(0, "a", "bash", LS)), entry(tc(0, "a", "read_file", X))],
      [
        ["bash", LS],
        ["read_file", X],
      ],
    ],
    [
      "one constant id, arguments in pieces",
      [
        entry(tc(0, "a", "bash", "")),
        entry(tc(0, undefined, undefined, LS)),
        entry(tc(1, "a", "read_file", "")),
        entry(tc(1, undefined, undefined, X)),
      ],
      [
        ["bash", LS],
        ["read_file", X],
      ],
    ],
    [
      "a new id in every delta of one place",
      [
        entry(tc(0, "a", "bash", "")),
        entry(tc(0, "b", undefined, `{"com`)),
        entry(tc(0, "c", undefined, `mand":"ls"}`)),
      ],
      [["bash", LS]],
    ],
    [
      "the name in every delta",
      [entry(tc(0, "a", "bash", `{"com`)), entry(tc(0, "a", "bash", `mand":"ls"}`))],
      [["bash", LS]],
    ],
    [
      "a known tool's name in two halves",
      [
        entry(tc(0, "a", "read_", "")),
        entry(tc(0, undefined, "file", "")),
        entry(tc(0, undefined, undefined, X)),
      ],
      [["read_file", X]],
    ],
    [
      "all arguments again",
      [
        entry(tc(0, "a", "bash", `{"com`)),
        entry(tc(0, undefined, undefined, `mand":"ls"}`)),
        entry(tc(0, "a", "bash", LS)),
        entry(tc(0, undefined, undefined, LS)),
      ],
      [["bash", LS]],
    ],
    [
      "empty entries in the middle and at the end",
      [
        entry(tc(0, "a", "bash", `{"com`)),
        entry(tc(0, "a", null, null)),
        delta({ tool_calls: [] }),
        delta({ tool_calls: null }),
        delta({}),
        delta(null),
        { choices: [{ index: 0 }] },
        entry(tc(0, undefined, undefined, `mand":"ls"}`)),
        entry(tc(0, "a", null, null)),
      ],
      [["bash", LS]],
    ],
    ["arguments as an object", [entry(tc(0, "a", "bash", { command: "ls" }))], [["bash", LS]]],
    [
      "no arguments at all, and empty ones",
      [entry(tc(0, "a", "bash")), entry(tc(1, "b", "read_file", ""))],
      [
        ["bash", "{}"],
        ["read_file", "{}"],
      ],
    ],
    ["arguments encoded twice", [entry(tc(0, "a", "bash", JSON.stringify(LS)))], [["bash", LS]]],
    [
      "a list, null and rubbish stay as written",
      [
        entry(tc(0, "a", "bash", [])),
        entry(tc(1, "b", "bash", "null")),
        entry(tc(2, "c", "bash", `{"command":"echo "hi""}`)),
      ],
      [
        ["bash", "[]"],
        ["bash", "null"],
        ["bash", `{"command":"echo "hi""}`],
      ],
    ],
    [
      "the old function_call",
      [delta({ function_call: { name: "bash", arguments: LS } })],
      [["bash", LS]],
    ],
    [
      "calls in a second choice",
      [
        {
          choices: [
            { index: 0, delta: { content: "" } },
            { index: 1, delta: { tool_calls: [tc(0, "a", "bash", LS)] } },
          ],
        },
      ],
      [["bash", LS]],
    ],
    [
      "another name is another call, even where nothing tells them apart",
      [entry(tc(0, undefined, "bash", "")), entry(tc(0, "b", "read_file", X))],
      [
        ["bash", "{}"],
        ["read_file", X],
      ],
    ],
    [
      "one constant id and place for a call without arguments and the next",
      [entry(tc(0, "a", "bash", "")), entry(tc(0, "a", "read_file", X))],
      [
        ["bash", "{}"],
        ["read_file", X],
      ],
    ],
    ["a call that never gets a name", [entry(tc(0, "a", undefined, LS))], [["unnamed_tool", LS]]],
  ])("%s", (_name, lines, expected) => {
    expect(run(...lines).calls).toEqual(expected);
  });

  test("an id that is missing, repeated or illegal is made anew", () => {
    expect(
      run(
        entry(
          tc(0, "a", "bash", LS),
          tc(1, "a", "read_file", X),
          tc(2, "functions.bash:2", "bash", X),
        ),
      ).ids,
    ).toEqual(["a", "made_1", "made_2"]);
  });

  test.each(["stop", "function_call", "end_turn", "", "eos", "null", null])(
    "pending calls decide, not the label %p",
    (label) => {
      expect(run(entry(tc(0, "a", "bash", LS)), delta({}, label)).finish).toBe("tool_calls");
    },
  );

  test("finish tool_calls without a call is an ordinary end", () => {
    expect(run(content("Hi"), delta({}, "tool_calls"))).toMatchObject({
      finish: "stop",
      text: "Hi",
    });
  });

  test("length stays length, whole calls or not", () => {
    expect(run(entry(tc(0, "a", "bash", LS)), delta({}, "length")).finish).toBe("length");
  });

  test("no chunk but [DONE] is no answer", () => {
    expect(run().finish).toBe("broken");
  });
});

describe("usage", () => {
  test.each([
    ["choices empty", { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } }],
    ["choices null", { choices: null, usage: { prompt_tokens: 7, completion_tokens: 3 } }],
    ["no choices", { usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: null } }],
  ])("%s, before the finish, and the last wins", (_name, chunk) => {
    const early = { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } };
    const none = {
      choices: [],
      usage: { prompt_tokens: null, completion_tokens: null, total_tokens: null },
    };
    expect(run(content("a"), early, chunk, none, delta({}, "stop")).usage).toEqual([7, 3]);
  });
});

describe("refusals and reasoning", () => {
  test("delta.refusal is shown as text and ends as a refusal", () => {
    expect(
      run(delta({ refusal: "I cannot " }), delta({ refusal: "help." }), delta({}, "stop")),
    ).toMatchObject({ text: "I cannot help.", finish: "refusal" });
  });

  test("content_filter keeps the text, ends as a refusal and runs nothing", () => {
    expect(
      run(content("Hm"), entry(tc(0, "a", "bash", LS)), delta({}, "content_filter")),
    ).toMatchObject({ text: "Hm", finish: "refusal", calls: [] });
  });

  test.each([
    ["reasoning_content", { reasoning_content: "Hm" }],
    ["reasoning", { reasoning: "Hm" }],
    ["both at once", { reasoning: "Hm", reasoning_content: "Hm" }],
    ["an object", { reasoning: { content: "Hm" } }],
    ["details only", { reasoning_details: [{ type: "reasoning.text", text: "Hm" }] }],
    ["empty beside the other", { reasoning_content: "", reasoning: "Hm" }],
  ])("reasoning under the name of %s is one thought", (_name, part) => {
    expect(run(delta(part), content("ok"))).toMatchObject({ thought: "Hm", text: "ok" });
  });
});

describe("calls written as text", () => {
  const hermes = `<tool_call>\n{"name": "bash", "arguments": {"command":"ls"}}\n</tool_call>`;
  test("a message that is nothing but one call is that call, and no text is shown", () => {
    expect(
      run(content(hermes.slice(0, 9)), content(hermes.slice(9)), delta({}, "stop")),
    ).toMatchObject({ text: "", finish: "tool_calls", calls: [["bash", LS]] });
  });

  test.each([
    ["prose before it", `Look: ${hermes}`],
    ["prose behind it", `${hermes}\nDone.`],
    ["a fence around it", `\`\`\`\n${hermes}\n\`\`\``],
    ["an unknown tool", hermes.replace("bash", "format_disk")],
    ["two of them", `${hermes}\n${hermes}`],
    ["arguments that are cut", `<tool_call>{"name":"bash","arguments":{"comm`],
  ])("with %s it stays text", (_name, text) => {
    expect(run(content(text), delta({}, "stop"))).toMatchObject({
      text,
      finish: "stop",
      calls: [],
    });
  });

  test("beside a call of the protocol, and after a cut, it stays text", () => {
    expect(run(content(hermes), entry(tc(0, "a", "bash", LS)))).toMatchObject({
      text: hermes,
      calls: [["bash", LS]],
    });
    expect(run(content(hermes), delta({}, "length"))).toMatchObject({
      text: hermes,
      finish: "length",
    });
  });
});
