// Every rule of the wire, by id: where it is written, what it says, on which transports it can hold. A test that names
// an unknown id fails, and so does an id without a test (coverage.test.ts). docs/requirements.md is made from this.

import type { Requirement } from "./requirement.ts";
import { MCP_REQUIREMENTS } from "./requirements-mcp.ts";
import { PERMISSION_REQUIREMENTS } from "./requirements-permissions.ts";
import { WIRE_REQUIREMENTS } from "./requirements-wire.ts";

const PAGE = "https://agentclientprotocol.com/protocol";

const ACP_REQUIREMENTS = {
  // Handshake
  "init/version": {
    source: `contract 3, ${PAGE}/initialization`,
    rule: "protocolVersion 1 is answered for any integer from 1 on",
  },
  "init/version-invalid": {
    source: "contract 3",
    rule: "a protocolVersion that is missing or no integer is -32602 naming the field",
  },
  "init/result": {
    source: "contract 3",
    rule: "the result names agent, capabilities and auth methods exactly",
  },
  "init/first": {
    source: "contract 3",
    rule: "any other request before initialize is -32600",
  },
  "init/capabilities-true": {
    source: "contract 3, L6",
    rule: "every advertised capability's method works and unadvertised ones are -32601",
  },
  "init/foreign-capabilities": {
    source: "contract 2",
    rule: "only clientCapabilities grants anything; capabilities is tolerated",
  },
  // Errors
  "error/parse": {
    source: "contract 3",
    rule: "text that is not JSON is -32700 with id null, and the connection goes on",
  },
  "error/batch": {
    source: "contract 3",
    rule: "a batch is -32600 with id null, and the connection goes on",
  },
  "error/unknown-method": {
    source: "contract 3",
    rule: "an unknown request is -32601, an unknown notification silence",
  },
  "error/params": {
    source: "contract 3",
    rule: "wrong params are -32602 and data names the field",
  },
  "error/unknown-session": {
    source: "contract 2",
    rule: "an unknown session is -32602 with data.session_id and data.sessionId",
  },
  "error/no-leak": {
    source: "contract 3",
    rule: "no error holds a stack or a path of the program",
  },
  "error/ids": { source: "contract 3", rule: "ids of every legal type are echoed unchanged" },
  // Opening sessions
  "new/result": {
    source: `contract 3, ${PAGE}/session-setup`,
    rule: "session/new answers id, modes, configOptions and models",
  },
  "new/mcp-forms": {
    source: "contract 2",
    rule: "mcpServers may be an array, an object, null or absent",
  },
  "new/cwd": {
    source: "contract 3, W11",
    rule: "cwd must be an absolute, existing, readable directory",
  },
  "new/order": {
    source: "contract 3, L7",
    rule: "nothing about a session precedes the response that names it",
  },
  "new/stored": {
    source: "contract 3, S5",
    rule: "a session without a prompt can be loaded by another process",
    transports: ["stdio"],
    not: "the process is the same for all; the store does not know the transport",
  },
  "load/replay": {
    source: "contract 3, S1",
    rule: "load replays user, thought, text, tool calls and diffs, then answers",
  },
  "load/order": {
    source: "contract 3, S2",
    rule: "no replayed update follows the answer of the load",
  },
  "load/read-only": {
    source: "contract 3",
    rule: "loading twice shows the same and stores nothing",
  },
  "load/cwd": {
    source: "contract 3, S18",
    rule: "another cwd than the session's own is -32602 naming the stored one",
  },
  "load/running": {
    source: "contract 3",
    rule: "loading a session whose turn runs attaches: replay, answer, then live updates",
    transports: ["http", "http-sessions", "websocket"],
    not: "a process on stdio has one client, and its turn ends with it",
  },
  "resume/no-replay": { source: "contract 3", rule: "resume answers like load without a replay" },
  "fork/independent": {
    source: "contract 3",
    rule: "a fork has the history up to the last complete exchange and goes its own way",
  },
  "list/pages": {
    source: "contract 3, S6, S7",
    rule: "list shows prompted sessions of the directory, newest first, with title and ISO time, under both names",
  },
  "list/cursor": { source: "contract 3", rule: "a bad cursor is -32602" },
  "close/any": {
    source: "contract 3",
    rule: "close frees, keeps history, and is {} for an unknown id",
  },
  "close/prompt-after": { source: "spec 000", rule: "a prompt to a closed session is an error" },
  "delete/any": {
    source: "contract 3",
    rule: "delete removes from disk and is {} for an unknown id",
  },
  "access/own": {
    source: "contract 9",
    rule: "a connection may use only sessions it opened or loaded",
    transports: ["http", "http-sessions", "websocket"],
    not: "a process on stdio has one connection",
  },
  // Settings
  "mode/set": {
    source: "contract 3, G9",
    rule: "set_mode takes known modes, announces mode and options, is kept over a load",
  },
  "mode/unknown": {
    source: "contract 3",
    rule: "an unknown mode is -32602 listing the known ones",
  },
  "config/set": {
    source: "contract 2, 3",
    rule: "set_config_option and config/set answer configOptions and announce the change",
  },
  "config/model": {
    source: "contract 2",
    rule: "session/set_model and the model option change the model",
  },
  "config/unknown": {
    source: "contract 3",
    rule: "unknown options and values are -32602 listing the known ones",
  },
  "auth/methods": {
    source: "contract 3, G1",
    rule: "authMethods are empty with an endpoint; without one an agent method re-reads configuration",
  },
  "auth/unknown": { source: "contract 3, G3", rule: "an unknown methodId is -32602" },
  "auth/logout": { source: "contract 3", rule: "logout forgets stored keys and answers {}" },
  // Turns
  "prompt/stream": {
    source: `contract 4, ${PAGE}/prompt-turn`,
    rule: "text streams as agent_message_chunk with a messageId, thoughts as agent_thought_chunk",
  },
  "prompt/usage": {
    source: "contract 2",
    rule: "the result carries stopReason and summed usage; usage_update comes during the turn",
  },
  "prompt/last": { source: "contract 4.5, O1", rule: "the response is the last message of a turn" },
  "prompt/blocks": {
    source: "contract 4.1, B6, B7",
    rule: "text, resources, links, image and audio markers reach the model; links alone work",
  },
  "prompt/bad-blocks": {
    source: "contract 4.1",
    rule: "an empty prompt or an unknown block is -32602",
  },
  "prompt/queue": {
    source: "contract 4.2, O6",
    rule: "prompts wait their turn in order; the ninth waiting one is refused as queue_full",
  },
  "prompt/next-accepted": {
    source: "contract 4.5",
    rule: "prompts sent in the tick of the response before them are all accepted (1,000 on stdio)",
  },
  "prompt/model-error": {
    source: "contract 4.6, O5",
    rule: "a failed endpoint gives a readable chunk and an error of kind model_error, never an empty end_turn",
  },
  "prompt/empty-answer": {
    source: "O4",
    rule: "a model that only thinks ends the turn with words that say so",
  },
  "prompt/refusal": { source: "contract 4.5", rule: "a refusal ends with stopReason refusal" },
  "prompt/max-tokens": {
    source: "contract 4.5",
    rule: "an answer cut at the output limit ends with max_tokens",
  },
  "prompt/broken-stream": {
    source: "contract 4.6, M18",
    rule: "a stream that dies keeps what was shown, marks the break and runs no tool",
  },
  "prompt/retry": { source: "contract 4.7", rule: "a 503 is tried again and the turn succeeds" },
  "command/slash": {
    source: "architecture",
    rule: "slash commands are announced and answered without the model; unknown ones too; paths go to the model",
  },
  // The examples of the first document
  "document/life-cycle": {
    source: "spec 000",
    rule: "initialize, new, prompt, load, resume, fork, sessions/list, config/set and close work as written",
  },
  "document/permission-forms": {
    source: "spec 000",
    rule: "the four options are offered, and the flat answers allow and deny",
  },
  "document/cancel": {
    source: "spec 000",
    rule: "cancel during a command answers cancelled",
  },
  "document/errors": {
    source: "spec 000",
    rule: "the table of error codes holds",
  },
  // Order
  "order/one-packet": {
    source: "contract 4.5, O1",
    rule: "turns whose last words and end come in one packet have nothing after their response (500 on stdio)",
  },
  "order/ends-on-tool": {
    source: "contract 4.5, O1",
    rule: "a turn that ends on a tool has nothing after its response",
  },
  "order/sequence": {
    source: "contract 4.4",
    rule: "the updates of a session keep their order, two sessions at once too",
  },
  "order/fork-load-resume": {
    source: "contract 3, L7, S2",
    rule: "only replay precedes the answer of load, nothing that of fork and resume",
  },
  "order/segments": {
    source: "contract 4.4, O3",
    rule: "text before and after a tool call is whole, whatever the lengths, and is cut at the call",
  },
  "order/told-again": {
    source: "O8",
    rule: "commands are told again within the first turn, for clients that drop what comes early",
  },
  "output/pure": {
    source: "contract 1, L1",
    rule: "a broken configuration, debug logs and rubbish put nothing but messages on the wire",
  },
  "output/no-repeats": {
    source: "contract 5, B4",
    rule: "a loud command costs a few times what is kept of its output, not all of it again and again",
  },
  // Tools and permissions
  "tool/lifecycle": {
    source: `contract 5, ${PAGE}/tool-calls`,
    rule: "tool_call comes first, then in_progress with rawInput, then one terminal status with content",
  },
  "tool/parallel": {
    source: "contract 4.3",
    rule: "reads of one answer run side by side and each gets its result",
  },
  "tool/unknown": {
    source: "contract 5",
    rule: "an unknown tool or bad arguments run nothing, ask nobody and tell the model",
  },
  "permission/allow": {
    source: "contract 7",
    rule: "an edit asks with a diff and the four options in order; allowed, it is made",
  },
  "permission/reject": {
    source: "contract 7",
    rule: "rejected, nothing changes and the model hears Permission denied.",
  },
  "permission/flat": {
    source: "contract 2",
    rule: "the flat answer form works for allow and deny",
  },
  "permission/always": {
    source: "contract 7, P3",
    rule: "allow_always holds for its scope in this session and no other",
  },
  "permission/cancelled": {
    source: "contract 7",
    rule: "the answer cancelled ends the turn as cancelled",
  },
  "permission/malformed": {
    source: "contract 7",
    rule: "an unknown option, an error or a malformed answer denies",
  },
  "permission/mode": {
    source: "contract 7",
    rule: "accept_edits passes edits, plan refuses them without asking",
  },
  "subagent/gated": {
    source: "contract 5, P1",
    rule: "a sub-agent's calls are visible under the parent and ask on the root session",
  },
  "client/fs": {
    source: "contract 5, F2",
    rule: "with the fs capability reads and writes go through the client; without it nothing is called",
  },
  "client/terminal": {
    source: "contract 5, F5",
    rule: "with the terminal capability a command runs in a client terminal that is released",
  },
  // Cancel
  "cancel/stream": {
    source: "contract 6",
    rule: "cancel while the model streams answers cancelled within a second",
  },
  "cancel/tool": {
    source: "contract 6",
    rule: "cancel while a command sleeps answers cancelled within a second and leaves no process",
  },
  "cancel/permission": {
    source: "contract 6, P11",
    rule: "cancel resolves an open question; a late answer does nothing",
  },
  "cancel/queued": {
    source: "contract 6",
    rule: "cancel ends the running and every waiting prompt, one response each",
  },
  "cancel/idle": { source: "contract 6", rule: "cancel of an unknown or idle session is silent" },
  "cancel/request": {
    source: "contract 3, C10",
    rule: "$/cancel_request ends that request with one answer",
  },
  "cancel/any-moment": {
    source: "contract 6, C2, C4",
    rule: "turns cancelled at any moment all answer cancelled and leave no call open (100 on stdio)",
  },
  "cancel/three-open": {
    source: "contract 6, C5",
    rule: "a running, an asked and a waiting call all fail with the cancel, also after a load",
  },
  "cancel/retry-wait": {
    source: "contract 4.7, C1",
    rule: "cancel ends the wait for an endpoint that asked for patience",
  },
  "cancel/next": { source: "C4", rule: "after a cancel the next prompt works" },
} as const satisfies Readonly<Record<string, Requirement>>;

export const REQUIREMENTS = {
  ...ACP_REQUIREMENTS,
  ...PERMISSION_REQUIREMENTS,
  ...WIRE_REQUIREMENTS,
  ...MCP_REQUIREMENTS,
};

export type RequirementId = keyof typeof REQUIREMENTS;
