// A session as an earlier process left it: written straight to the store, so that it can be as large as a test needs.

import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { newMessageId, newSessionId } from "../../src/lib/ids.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";

export type StoredText = { readonly messages: number; readonly bytesEach: number };

/** One question, then `messages` answers of `bytesEach` ASCII characters. Resolves with the session's id. */
export async function storeSession(
  home: string,
  cwd: string,
  { messages, bytesEach }: StoredText,
): Promise<string> {
  const file = join(home, ".iac-code", "sessions", "sessions.db");
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await using store = await openSqliteStore(file, { now: Date.now });
  const id = newSessionId();
  const at = Date.now();
  await store.createSession({
    id,
    cwd,
    realCwd: cwd,
    additionalDirectories: [],
    createdAt: at,
    updatedAt: at,
    prompts: 0,
    modeId: "default",
  });
  const question = {
    messageId: newMessageId(),
    text: "Much",
    blocks: [{ type: "text", text: "Much" }],
  } as const;
  await store.append(id, [{ event: { type: "user_message", ...question } }]);
  for (let n = 0; n < messages; n += 1) {
    const mark = `${n}:`;
    await store.append(id, [
      {
        event: {
          type: "assistant_message",
          messageId: newMessageId(),
          text: mark + "x".repeat(bytesEach - mark.length),
          toolCalls: [],
          model: "fake-model",
          outcome: "complete",
        },
      },
    ]);
  }
  return id;
}
