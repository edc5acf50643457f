// What the client sees of an event, live and replayed alike. Pure.

import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { PromptBlock } from "../conversation/content.ts";
import type { AgentEvent, ToolCallEvent, ToolResultEvent } from "../conversation/events.ts";
import { textChunk, toWireContent, toWireLocations } from "./wire-content.ts";

/** Under this `_meta` key a sub-agent's updates name the call that started it. */
export const PARENT_META_KEY = "iac-code/parentToolCallId";

const COMPACTED =
  "[The conversation so far was summarised to make room for more; the stored history keeps everything.]\n\n";

function toWireBlock(block: PromptBlock): ContentBlock {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "resource_link":
      return { ...block };
    case "resource": {
      const { uri, text, mimeType } = block;
      return {
        type: "resource",
        resource: mimeType === undefined ? { uri, text } : { uri, text, mimeType },
      };
    }
  }
}

function callUpdate(event: ToolCallEvent): SessionUpdate {
  return {
    sessionUpdate: "tool_call",
    toolCallId: event.toolCallId,
    title: event.title,
    name: event.name,
    kind: event.kind,
    status: event.status,
    rawInput: event.rawInput,
    content: toWireContent(event.content),
    locations: toWireLocations(event.locations),
  };
}

function resultUpdate(event: ToolResultEvent): SessionUpdate {
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: event.toolCallId,
    status: event.status,
    content: toWireContent(event.content),
    rawOutput: event.rawOutput ?? event.text,
    ...(event.locations === undefined ? {} : { locations: toWireLocations(event.locations) }),
  };
}

function plainUpdates(event: AgentEvent): SessionUpdate[] {
  switch (event.type) {
    case "text_delta":
      return [textChunk("agent_message_chunk", event.text, event.messageId)];
    case "thought_delta":
    case "notice":
      return [textChunk("agent_thought_chunk", event.text, event.messageId)];
    case "warning":
      return [
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: event.text } },
      ];
    case "compaction":
      return [textChunk("agent_message_chunk", COMPACTED, `compaction-${event.upToSeq}`)];
    case "plan":
      return [{ sessionUpdate: "plan", entries: event.entries.map((entry) => ({ ...entry })) }];
    case "tool_call":
      return [callUpdate(event)];
    case "tool_running":
      return [
        {
          sessionUpdate: "tool_call_update",
          toolCallId: event.toolCallId,
          status: "in_progress",
          rawInput: event.rawInput,
        },
      ];
    case "tool_progress":
      return [
        {
          sessionUpdate: "tool_call_update",
          toolCallId: event.toolCallId,
          status: "in_progress",
          content: toWireContent(event.content),
        },
      ];
    case "tool_result":
      return [resultUpdate(event)];
    case "usage":
      return [{ sessionUpdate: "usage_update", used: event.used, size: event.size }];
    case "session_info":
      return [
        {
          sessionUpdate: "session_info_update",
          updatedAt: event.updatedAt,
          ...(event.title === undefined ? {} : { title: event.title }),
        },
      ];
    case "mode":
      return [{ sessionUpdate: "current_mode_update", currentModeId: event.modeId }];
    // A finished message was streamed as deltas already; a user's own prompt is on the client's screen.
    case "assistant_message":
    case "user_message":
    case "permission":
    case "model":
    case "thought_level":
    case "turn_end":
      return [];
  }
}

function replayedUpdates(event: AgentEvent): SessionUpdate[] {
  switch (event.type) {
    case "user_message":
      return event.blocks.map((block) => ({
        sessionUpdate: "user_message_chunk",
        content: toWireBlock(block),
        messageId: event.messageId,
      }));
    case "assistant_message": {
      const { thought, text, messageId } = event;
      return [
        ...(thought === undefined || thought === ""
          ? []
          : [textChunk("agent_thought_chunk", thought, `${messageId}-thought`)]),
        ...(text === "" ? [] : [textChunk("agent_message_chunk", text, messageId)]),
      ];
    }
    // The load's own answer carries the present mode; earlier ones are history of no use to a client.
    case "mode":
      return [];
    default:
      return plainUpdates(event);
  }
}

/** Of a sub-agent a client sees the tool calls, under the call that started it; its words are in that call's content. */
function withParent(updates: SessionUpdate[], event: AgentEvent): SessionUpdate[] {
  const { parent } = event;
  if (parent === undefined) return updates;
  return updates
    .filter(
      ({ sessionUpdate }) => sessionUpdate === "tool_call" || sessionUpdate === "tool_call_update",
    )
    .map((update) => ({ ...update, _meta: { [PARENT_META_KEY]: parent } }));
}

/** Updates to send as the event happens. */
export function toUpdates(event: AgentEvent): SessionUpdate[] {
  return withParent(plainUpdates(event), event);
}

/** Updates that show a stored event again on load. */
export function toReplayUpdates(event: AgentEvent): SessionUpdate[] {
  return withParent(replayedUpdates(event), event);
}
