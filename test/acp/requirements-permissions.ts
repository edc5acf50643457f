// The rules of tool calls, permissions and delegation, by id; part of requirements.ts.

export const PERMISSION_REQUIREMENTS = {
  "permission/foreign": {
    source: "contract 7, P11",
    rule: "answers to ids that were never asked, and second answers, do nothing",
  },
  "permission/close": {
    source: "contract 6, P11",
    rule: "closing the session resolves an open question, and a late answer gives no right",
  },
  "permission/always-ends": {
    source: "contract 7, P3",
    rule: "an always ends with the session in memory: after a close and a load it is asked again",
  },
  "permission/moves": {
    source: "contract 3, 7",
    rule: "an open question goes to the connection that loads the session; its answer counts",
    transports: ["http", "http-sessions", "websocket"],
    not: "on stdio a process has one connection",
  },
  "permission/stream-lost": {
    source: "contract 8, H6",
    rule: "a question that was open when the stream broke is asked again on the next one",
    transports: ["http", "http-sessions"],
    not: "elsewhere the stream is the connection",
  },
  "permission/whole": {
    source: "contract 7, P7",
    rule: "the question shows and judges all of a command, invisible characters too; one that is too long runs nothing",
  },
  "permission/once": {
    source: "contract 7, P9",
    rule: "the first allowing option is allow_once, and gives no standing right",
  },
  "permission/mode-off": {
    source: "contract 7, P15",
    rule: "auto still asks about destroy, and switched off it asks from the next call on",
  },
  "deny/every-way": {
    source: "contract 7, P14",
    rule: "a denied file is kept back on every way in: tools, searches, commands, links in prompts, other names, sub-agents",
  },
  "deny/project-file": {
    source: "contract 1, G6",
    rule: "a project's own file can deny, make ask and protect, and nothing else of it counts",
  },
  "client/fs-refuses": {
    source: "contract 5, F3",
    rule: "a client that does not find a file is replaced by the disk",
  },
  "client/fs-breaks": {
    source: "contract 5, F3",
    rule: "a client that fails is replaced by the disk",
  },
  "client/own-state": {
    source: "contract 5, F3",
    rule: "what the session itself keeps is read unasked and never through the client",
  },
  "client/none": {
    source: "contract 5, F6",
    rule: "a client without capabilities is asked for nothing, and every tool works",
  },
  "client/terminal-fails": {
    source: "contract 5, F5",
    rule: "a terminal whose wait fails is killed and released",
  },
  "client/terminal-cancel": {
    source: "contract 5, F5",
    rule: "a cancelled command is killed in its terminal, which is released",
  },
  "client/terminal-local": {
    source: "contract 5",
    rule: "commands that change or destroy run here although the client has terminals",
  },
  "tool/background": {
    source: "contract 5, O9",
    rule: "the end of a background command is told at the next turn; one that runs ends with its session",
  },
  "card/command": {
    source: "contract 5, T1",
    rule: "the card of a command, and its question, show the command from the first update on",
  },
  "card/diff": {
    source: "contract 5, T3",
    rule: "question and result of every kind of edit carry the diff with absolute path",
  },
  "card/complete-arguments": {
    source: "contract 5, T6",
    rule: "title and locations come from complete arguments only",
  },
  "card/ends-cancelled": {
    source: "contract 6, C5, T2",
    rule: "a cancel ends the running call and those not yet started, live and in the replay",
  },
  "card/changed-meanwhile": {
    source: "contract 5, T9",
    rule: "a file changed while the question is open is not overwritten, and its new content is told",
  },
  "card/live-output": {
    source: "contract 5, T10",
    rule: "what a command prints first is shown while it runs",
  },
  "subagent/rejected": {
    source: "contract 5, P1",
    rule: "a rejection of a sub-agent's call is told to the sub-agent, and the turn goes on",
  },
  "subagent/cancelled": {
    source: "contract 6, P1, P11",
    rule: "a sub-agent's question that is cancelled, or unanswered at a cancel, ends the turn",
  },
  "subagent/two": {
    source: "contract 5, P1, P2, I5",
    rule: "each of several sub-agents asks for each of its calls, shows scripts it runs, and can be read after a load",
  },
  "undo/asks": {
    source: "contract 7",
    rule: "/undo shows what it would restore, asks in every mode, restores, and the model is told",
  },
  "undo/survives": {
    source: "contract 9",
    rule: "/undo works in another process after the session was closed",
  },
  "path/windows": {
    source: "contract 3, W9",
    rule: "Windows spellings are a clean error where they mean nothing",
  },
} as const;
