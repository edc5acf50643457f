// What a tool call shows a person, before it becomes ACP content. https://agentclientprotocol.com/protocol/tool-calls

export type ToolKind = "read" | "search" | "edit" | "execute" | "fetch" | "other";

/** Lines count from 1. `path` is absolute. */
export type Location = { readonly path: string; readonly line?: number };

export type ToolContent =
  /** Markdown. */
  | { readonly type: "text"; readonly text: string }
  /** `oldText` is absent for a file that did not exist. */
  | {
      readonly type: "diff";
      readonly path: string;
      readonly oldText?: string;
      readonly newText: string;
    }
  /** A terminal of the client's, embedded live. */
  | { readonly type: "terminal"; readonly terminalId: string };

/** One block of a prompt as it is stored and replayed; what a model cannot take is already a marker in a text block. */
export type PromptBlock =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly mimeType?: string;
    }
  | {
      readonly type: "resource";
      readonly uri: string;
      readonly text: string;
      readonly mimeType?: string;
    };

/** One step of a plan. https://agentclientprotocol.com/protocol/agent-plan */
export type PlanEntry = {
  readonly content: string;
  readonly priority: "high" | "medium" | "low";
  readonly status: "pending" | "in_progress" | "completed";
};
