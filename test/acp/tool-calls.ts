// What holds for the tool calls of every session, whatever happened in it, and short ways to look at them.

import { expect } from "bun:test";
import { chmod } from "node:fs/promises";
import type { AcpClient, Json } from "../support/acp-client.ts";
import type { FakeModel } from "../support/fake-model.ts";
import type { TempDir } from "../support/temp-dir.ts";

const TERMINAL: readonly unknown[] = ["completed", "failed"];

/** What the model was told by the last message of its request `index`. */
export const told = (model: FakeModel, index: number): string =>
  String(model.requests[index]?.messages.at(-1)?.["content"]);

/** The permission questions of a session so far, oldest first. */
export function questions(client: AcpClient): { readonly id: unknown; readonly params: Json }[] {
  return client.log.flatMap(({ from, message }) =>
    from === "agent" && message["method"] === "session/request_permission"
      ? [{ id: message["id"], params: message["params"] as Json }]
      : [],
  );
}

export const selected = (optionId: string): Json => ({
  outcome: { outcome: "selected", optionId },
});

/**
 * Each call: `tool_call` before anything else that names it, exactly one terminal status, and something to show with it.
 * Only for logs without a replay of the same calls.
 */
export function expectWholeCalls(client: AcpClient, sessionId: string): void {
  const announced = new Set<unknown>();
  const ends = new Map<unknown, number>();
  for (const { from, message } of client.log) {
    if (from !== "agent" || message["params"] === undefined) continue;
    const params = message["params"] as Json;
    if (message["method"] === "session/request_permission")
      expect(announced).toContain((params["toolCall"] as Json)["toolCallId"]);
    if (message["method"] !== "session/update" || params["sessionId"] !== sessionId) continue;
    const update = params["update"] as Json;
    const id = update["toolCallId"];
    if (update["sessionUpdate"] === "tool_call") {
      expect(announced).not.toContain(id);
      announced.add(id);
    } else if (update["sessionUpdate"] === "tool_call_update") expect(announced).toContain(id);
    if (!TERMINAL.includes(update["status"])) continue;
    ends.set(id, (ends.get(id) ?? 0) + 1);
    expect(update["content"]).not.toEqual([]);
    expect(update["content"]).toBeDefined();
  }
  expect([...announced].map((id) => ends.get(id))).toEqual([...announced].map(() => 1));
}

/** Puts a program of that name into the project's `bin`. */
export async function addProgram(project: TempDir, name: string, script: string): Promise<void> {
  await Bun.write(project.file(`bin/${name}`), `#!/bin/bash\n${script}\n`);
  await chmod(project.file(`bin/${name}`), 0o755);
}
