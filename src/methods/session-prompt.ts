// session/prompt: one turn. https://agentclientprotocol.com/protocol/prompt-turn

import { parsePrompt } from "./prompt-blocks.ts";
import { promptParams } from "../protocol/params.ts";
import { defineMethod } from "./method.ts";
import { takenBack } from "./taken-back.ts";

export const sessionPrompt = defineMethod({
  name: "session/prompt",
  params: promptParams,
  handle: async ({ sessionId, prompt }, { client, signal }, { sessions }) => {
    const blocks = parsePrompt(prompt);
    const session = await sessions.mustFind(sessionId, client);
    sessions.countTurn();
    const { stopReason, usage } = await session.prompt(blocks, takenBack(signal, client));
    const { inputTokens, outputTokens, totalTokens } = usage;
    sessions.countTokens(totalTokens);
    return { stopReason, usage: { inputTokens, outputTokens, totalTokens } };
  },
});
