// The rules of tool calls, permissions and delegation, by id; part of requirements.ts.

import type { Requirement } from "./requirements.ts";

export const PERMISSION_REQUIREMENTS = {
  "permission/foreign": {
    source: "contract 7, P11",
    rule: "answers to ids that were never asked, and second answers, do nothing",
  },
  "permission/close": {
    source: "contract 6, P11",
    rule: "closing the session resolves an open question, and a late answer gives no right",
  },
  "permission/moves": {
    source: "contract 3, 7",
    rule: "an open question goes to the connection that loads the session; its answer counts",
    transports: ["http", "http-sessions", "websocket"],
  },
  "permission/stream-lost": {
    source: "contract 8, H6",
    rule: "a question that was open when the stream broke is asked again on the next one",
    transports: ["http"],
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
  "permission/chained": {
    source: "contract 7, P4",
    rule: "allow_always covers its command with other flags and nothing that is chained to it or hidden in it",
    transports: ["stdio"],
  },
  "permission/plan-mode": {
    source: "contract 7, P6",
    rule: "plan mode refuses every command that writes, however it does, and lets readers pass",
    transports: ["stdio"],
  },
  "permission/stored": {
    source: "contract 7, 1",
    rule: "every decision is a row that sessions show --permissions lists: outcome, class, tool, by whom, what",
    transports: ["stdio"],
  },
  "deny/every-way": {
    source: "contract 7, P14",
    rule: "a denied file is kept back on every way in: tools, searches, commands, links in prompts, other names, sub-agents",
  },
  "deny/terraform": {
    source: "contract 7, I2",
    rule: "a denied program does not run in any clothing; what could hide it asks and says so",
    transports: ["stdio"],
  },
  "deny/destroy-asks": {
    source: "contract 7, I1, I3",
    rule: "what destroys or puts state at risk asks in every mode, whatever the allow rules, without an always",
    transports: ["stdio"],
  },
  "deny/project-file": {
    source: "contract 1, G6",
    rule: "a project's own file can deny, make ask and protect, and nothing else of it counts",
  },
} as const satisfies Readonly<Record<string, Requirement>>;
