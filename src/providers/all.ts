// The APIs that endpoints speak, one line each. offline.ts is no endpoint: app.ts opens it where there is none.

export { createChatProvider } from "./openai-chat.ts";
export { createResponsesProvider } from "./openai-responses.ts";
