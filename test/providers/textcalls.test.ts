// Tool calls written as text, in the syntaxes of the models that do it.

import { describe, expect, test } from "bun:test";
import { mayBeTextCall, readTextCall } from "../../src/providers/textcalls.ts";
import type { ToolSpec } from "../../src/providers/provider.ts";

const tools: readonly ToolSpec[] = [
  {
    name: "bash",
    description: "",
    parameters: {
      type: "object",
      properties: { command: { type: "string" }, timeout_ms: { type: "integer" } },
      required: ["command"],
    },
  },
];
const LS = `{"command":"ls"}`;

describe("readTextCall", () => {
  test.each([
    ["Hermes", `<tool_call>\n{"name":"bash","arguments":${LS}}\n</tool_call>`],
    ["Hermes without its closing tag", `<tool_call>\n{"name":"bash","arguments":${LS}}`],
    [
      "arguments as a string",
      `<tool_call>{"name":"bash","arguments":${JSON.stringify(LS)}}</tool_call>`,
    ],
    [
      "Qwen3-Coder",
      `<tool_call>\n<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>`,
    ],
    ["a function tag", `<function=bash><parameter=command>ls</parameter></function>`],
    ["a function tag with JSON", `<function=bash>${LS}</function>`],
    ["GLM", `<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>`],
    ["Mistral", `[TOOL_CALLS][{"name":"bash","arguments":${LS}}]`],
    ["Mistral v11", `[TOOL_CALLS]bash[ARGS]${LS}`],
    ["Llama", `<|python_tag|>{"name":"bash","parameters":${LS}}`],
    ["bare JSON", ` {"name":"bash","parameters":${LS}} `],
    [
      "invoke",
      `<function_calls>\n<invoke name="bash">\n<parameter name="command">ls</parameter>\n</invoke>\n</function_calls>`,
    ],
    [
      "Kimi",
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>${LS}<|tool_call_end|><|tool_calls_section_end|>`,
    ],
    [
      "DeepSeek",
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>bash\n\`\`\`json\n${LS}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    ],
  ])("reads %s", (_name, text) => {
    expect(readTextCall(text, tools)).toEqual({ name: "bash", arguments: LS });
    for (let end = 0; end <= text.length; end += 1)
      expect(mayBeTextCall(text.slice(0, end))).toBe(true);
  });

  test("reads a tag's number as the schema says", () => {
    const text = `<function=bash><parameter=command>12</parameter><parameter=timeout_ms>500</parameter></function>`;
    expect(readTextCall(text, tools)?.arguments).toBe(`{"command":"12","timeout_ms":500}`);
  });

  test.each([
    [
      "a member that is required is missing",
      `<function=bash><parameter=timeout_ms>5</parameter></function>`,
    ],
    [
      "a member that is unknown",
      `<function=bash><parameter=command>ls</parameter><parameter=x>1</parameter></function>`,
    ],
    ["prose between parameters", `<function=bash>Run <parameter=command>ls</parameter></function>`],
    ["invalid JSON", `<tool_call>{"name":"bash","arguments":{"command":"echo "hi""}}</tool_call>`],
    [
      "two calls",
      `[TOOL_CALLS][{"name":"bash","arguments":${LS}},{"name":"bash","arguments":${LS}}]`,
    ],
    ["a tool that is unknown", `{"name":"main","parameters":{}}`],
    ["a package file", `{"name":"bash","version":"1.0.0"}`],
  ])("leaves as text: %s", (_name, text) => {
    expect(readTextCall(text, tools)).toBeUndefined();
  });
});

test("mayBeTextCall lets ordinary text through at its first character", () => {
  for (const text of ["H", "`", "<p", "[T]", `{"a`, "```"]) expect(mayBeTextCall(text)).toBe(false);
});
