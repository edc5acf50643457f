// The providers: one line each.

export { createChatProvider } from "./openai-chat.ts";
export { createResponsesProvider } from "./openai-responses.ts";
