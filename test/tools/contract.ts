// What every tool promises, whatever it does: bad arguments only ever come back as text, an abort is answered at once,
// and every end of a call has bounded text to show.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Tool, ToolResult } from "../../src/tools/tool.ts";
import { tempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";

/** UTF-16 units of text that one call may give a model. */
const MAX_ANSWER_LENGTH = 110_000;
const PROMPT_MS = 1_000;

export type ContractCase = {
  readonly tool: Tool;
  /** Files to begin with; a call may use them. */
  readonly files?: Readonly<Record<string, string>>;
  /** Arguments of a call that ends by itself; without them only the schema and bad arguments are tried. */
  readonly args?: object;
  /** Arguments of a call that takes long, where there is one. */
  readonly slowArgs?: object;
};

function expectAnswer(result: ToolResult): void {
  expect(result.text.trim()).not.toBe("");
  expect(result.text.length).toBeLessThan(MAX_ANSWER_LENGTH);
  expect(JSON.stringify(result.content ?? []).length).toBeLessThan(
    2 * MAX_ANSWER_LENGTH + 512 * 1024,
  );
}

/** The suite for one member of all.ts. */
export function toolContract({ tool, files = {}, args, slowArgs }: ContractCase): void {
  test(`${tool.name} has a name, a description and an object schema`, () => {
    expect(tool.name).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(tool.description.length).toBeGreaterThan(20);
    expect(tool.parameters["type"]).toBe("object");
  });

  test(`${tool.name} answers any arguments without rejecting`, async () => {
    await using dir = await tempDir(files);
    const place = { cwd: dir.path, roots: [dir.path] };
    const names = Object.keys(args ?? tool.parameters["properties"] ?? {});
    const value = fc.oneof(
      fc.anything(),
      fc.string({ unit: "binary" }),
      fc.double(),
      fc.constant(null),
    );
    const object = fc.dictionary(fc.oneof(fc.constantFrom(...names, "path"), fc.string()), value);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.anything(), object), async (raw) => {
        const prepared = await tool.prepare(raw, place);
        if (!prepared.ok) expect(prepared.text).not.toBe("");
      }),
      { numRuns: 100 },
    );
  });

  if (args === undefined) return;

  test(`${tool.name} shows and tells something at its end`, async () => {
    await using dir = await tempDir(files);
    await using tools = await toolContext(dir.path);
    const call = await tools.prepare(tool, args);
    expect(call.title).not.toBe("");
    expect(call.kind).toBe(tool.kind);
    await call.preview(tools.context);
    expectAnswer(await call.execute(tools.context));
  });

  test(`${tool.name} answers at once when it is aborted before it starts`, async () => {
    await using dir = await tempDir(files);
    await using tools = await toolContext(dir.path);
    const call = await tools.prepare(tool, args);
    tools.abort();
    const started = performance.now();
    const result = await call.execute(tools.context);
    expect(performance.now() - started).toBeLessThan(PROMPT_MS);
    expect(result.ok).toBe(false);
    expectAnswer(result);
  });

  test(`${tool.name} answers at once when its folder is gone`, async () => {
    const dir = await tempDir(files);
    await using tools = await toolContext(dir.path);
    const call = await tools.prepare(tool, args);
    await dir[Symbol.asyncDispose]();
    expectAnswer(await call.execute(tools.context));
  });

  if (slowArgs === undefined) return;

  test(`${tool.name} answers at once when it is aborted while it works`, async () => {
    await using dir = await tempDir(files);
    await using tools = await toolContext(dir.path);
    const running = tools.run(tool, slowArgs);
    // A call tells nothing between its start and its end; whatever it is at by then, it must stop.
    await Bun.sleep(30);
    const started = performance.now();
    tools.abort();
    const result = await running;
    expect(performance.now() - started).toBeLessThan(PROMPT_MS);
    expectAnswer(result);
  });
}
