// What went wrong in `run`, in one sentence, and what to do next.

import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { isRecord } from "../lib/json.ts";

export type Failure = { readonly message: string; readonly next: string | undefined };

const NO_CREDENTIALS = -32_000;
/** Members of an error's data that its message says already, or that only programs read. */
const SAID_ALREADY: ReadonlySet<string> = new Set([
  "kind",
  "message",
  "provider",
  "status",
  "reason",
  "session_id",
]);

/** By HTTP status of the model's endpoint. */
const BY_STATUS: Readonly<Record<number, string>> = {
  401: "Check the key: iac-code doctor tests it, iac-code login stores another one",
  403: "Check the key and what it may use: iac-code models --ask lists the models",
  404: "Check the model's name and the address: iac-code models --ask lists what there is",
  429: "Wait a while, or choose another one with --model; iac-code models lists them",
};
const BY_KIND: Readonly<Record<string, string>> = {
  model_error: "iac-code doctor tests the endpoint; --model chooses another one",
  session_busy: "Another process runs a turn of this session: wait for it, or leave out --session",
  queue_full: "Wait for the prompts before it",
};

function nextStep({ code, data }: RequestError): string | undefined {
  if (code === NO_CREDENTIALS)
    return "iac-code login stores a key; iac-code models shows what can be used now";
  if (!isRecord(data)) return undefined;
  if ("sessionId" in data) return "iac-code sessions list shows the stored sessions";
  const byStatus = typeof data["status"] === "number" ? BY_STATUS[data["status"]] : undefined;
  const byKind = typeof data["kind"] === "string" ? BY_KIND[data["kind"]] : undefined;
  return byStatus ?? byKind;
}

/** `remote` is the address of --connect, where there is one: an error that is no answer is then the connection's. */
export function describeFailure(error: unknown, remote: string | undefined): Failure {
  if (error instanceof RequestError) {
    const data = isRecord(error.data) ? Object.entries(error.data) : [];
    const reasons = data
      .filter(([key]) => !SAID_ALREADY.has(key))
      .map(([key, value]) => `${key}: ${String(value)}`)
      .join("; ");
    const message = reasons === "" ? error.message : `${error.message} (${reasons})`;
    return { message, next: nextStep(error) };
  }
  const message = error instanceof Error ? error.message : String(error);
  const next =
    remote === undefined
      ? undefined
      : `Is iac-code acp --transport http running at ${remote}, and does IACCODE_ACP_HTTP_TOKEN hold its token?`;
  return { message, next };
}
