// Our tool content in ACP's words. https://agentclientprotocol.com/protocol/tool-calls#content

import type {
  SessionUpdate,
  ToolCallContent,
  ToolCallLocation,
} from "@agentclientprotocol/sdk/unstable";
import type { Location, ToolContent } from "../conversation/content.ts";

export function toWireContent(content: readonly ToolContent[]): ToolCallContent[] {
  return content.map((item): ToolCallContent => {
    switch (item.type) {
      case "text":
        return { type: "content", content: { type: "text", text: item.text } };
      case "diff":
        return {
          type: "diff",
          path: item.path,
          oldText: item.oldText ?? null,
          newText: item.newText,
        };
      case "terminal":
        return { type: "terminal", terminalId: item.terminalId };
    }
  });
}

export function toWireLocations(locations: readonly Location[]): ToolCallLocation[] {
  return locations.map(({ path, line }) => (line === undefined ? { path } : { path, line }));
}

type Chunk = "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";

export function textChunk(sessionUpdate: Chunk, text: string, messageId: string): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text }, messageId };
}
