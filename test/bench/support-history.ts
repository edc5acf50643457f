// Sessions as earlier processes left them: exchanges of a question and an answer, written straight to the store.

import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { newMessageId, newSessionId } from "../../src/lib/ids.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import type { NewEntry } from "../../src/stores/store.ts";

/** Entries of one append. */
const BATCH = 600;

const answerOf = (n: number): string =>
  `Answer ${n}: the module was read, its variables were checked, and nothing had to be changed.`;

function exchange(n: number): NewEntry[] {
  const text = `Question ${n}: what does the module do?`;
  const usage = { inputTokens: 100, outputTokens: 20, totalTokens: 120 };
  return [
    {
      event: {
        type: "user_message",
        messageId: newMessageId(),
        text,
        blocks: [{ type: "text", text }],
      },
    },
    {
      event: {
        type: "assistant_message",
        messageId: newMessageId(),
        text: answerOf(n),
        toolCalls: [],
        model: "fake-model",
        outcome: "complete",
      },
    },
    { event: { type: "turn_end", stopReason: "end_turn", usage } },
  ];
}

export const databaseIn = (home: string): string =>
  join(home, ".iac-code", "sessions", "sessions.db");

/** Stores a session of `cwd` with so many messages, half of them answers. Resolves with its id. */
export async function storeExchanges(home: string, cwd: string, messages: number): Promise<string> {
  const file = databaseIn(home);
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
  const entries = Array.from({ length: messages / 2 }, (_, n) => exchange(n)).flat();
  for (let from = 0; from < entries.length; from += BATCH)
    await store.append(id, entries.slice(from, from + BATCH));
  return id;
}
