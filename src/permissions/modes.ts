// The four permission modes, as a client lists them. What a mode means is decided in policy.ts.
// https://agentclientprotocol.com/protocol/session-modes

export const MODE_IDS = ["default", "accept_edits", "plan", "auto"] as const;
export type ModeId = (typeof MODE_IDS)[number];
export type Mode = { readonly id: ModeId; readonly name: string; readonly description: string };

export const DEFAULT_MODE: ModeId = "default";

export const MODES: readonly Mode[] = [
  {
    id: "default",
    name: "Ask",
    description: "Reads inside the project run; everything that changes something asks first",
  },
  {
    id: "accept_edits",
    name: "Accept edits",
    description: "File edits inside the project pass without asking; commands still ask",
  },
  {
    id: "plan",
    name: "Plan only",
    description: "Read-only: edits and changing commands are refused; plans still ask",
  },
  {
    id: "auto",
    name: "Auto",
    description:
      "Runs without asking, except what destroys, is not understood, leaves the project or reads secrets",
  },
];

export function isModeId(value: unknown): value is ModeId {
  return MODE_IDS.some((id) => id === value);
}
