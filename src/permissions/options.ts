// What is offered with a permission question, and what an answer means. The meaning comes from the kind of the chosen
// option, never from its name. https://agentclientprotocol.com/protocol/tool-calls#requesting-permission

import { isRecord } from "../lib/json.ts";
import type { Grant } from "./grants.ts";
import type { Question } from "./policy.ts";

export const OPTION_KINDS = ["allow_once", "allow_always", "reject_once", "reject_always"] as const;
export type OptionKind = (typeof OPTION_KINDS)[number];
/** The id of an option is its kind. */
export type PermissionOption = {
  readonly optionId: OptionKind;
  readonly name: string;
  readonly kind: OptionKind;
};

export type Answer = {
  readonly outcome: "allowed" | "denied" | "cancelled";
  readonly optionId?: string;
  /** The answer stands for the session. */
  readonly remember?: "allow" | "reject";
};

/** The options of a question, always in the same order; `allow_always` only where the question carries a scope. */
export function optionsFor(question: Question): readonly PermissionOption[] {
  const { always, reject } = question;
  const option = (kind: OptionKind, name: string): PermissionOption => ({
    optionId: kind,
    name,
    kind,
  });
  return [
    option("allow_once", "Allow once"),
    ...(always === undefined
      ? []
      : [option("allow_always", `Always allow ${always.subject} in this session`)]),
    option("reject_once", "Reject"),
    option("reject_always", `Always reject ${reject.subject} in this session`),
  ];
}

/**
 * Reads a client's answer, nested (`{outcome:{outcome:"selected",optionId}}`) or flat (`{outcome:"allowed",option_id}`,
 * `{outcome:"denied"}`). Anything malformed, contradictory or not offered denies.
 */
export function readAnswer(answer: unknown, offered: readonly PermissionOption[]): Answer {
  const denied: Answer = { outcome: "denied" };
  if (!isRecord(answer)) return denied;
  const body = isRecord(answer["outcome"]) ? answer["outcome"] : answer;
  const outcome = body["outcome"];
  if (outcome === "cancelled") return { outcome: "cancelled" };
  const ids = [body["optionId"], body["option_id"]].filter((id) => id !== undefined && id !== null);
  const [first] = ids;
  if (ids.some((id) => id !== first)) return denied;
  if (first === undefined) {
    if (outcome === "allowed") return meaningOf("allow_once");
    return outcome === "denied" ? meaningOf("reject_once") : denied;
  }
  const chosen = offered.find((option) => option.optionId === first);
  if (chosen === undefined) return denied;
  const meant = meaningOf(chosen.kind);
  if (outcome === "selected" || outcome === meant.outcome) return meant;
  // `allowed` with a reject option is a rejection; `denied` with an allow option is no permission.
  return outcome === "allowed" ? meant : denied;
}

function meaningOf(kind: OptionKind): Answer {
  switch (kind) {
    case "allow_once":
      return { outcome: "allowed", optionId: kind };
    case "allow_always":
      return { outcome: "allowed", optionId: kind, remember: "allow" };
    case "reject_once":
      return { outcome: "denied", optionId: kind };
    case "reject_always":
      return { outcome: "denied", optionId: kind, remember: "reject" };
  }
}

/** The grants that an answer leaves behind for the session. */
export function grantsFrom(question: Question, answer: Answer): readonly Grant[] {
  if (answer.remember === "allow") return question.always?.grants ?? [];
  return answer.remember === "reject" ? question.reject.grants : [];
}
