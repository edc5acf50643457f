// The client side of `run`: handshake, session, one prompt, permission answers.

import {
  type ClientContext,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
  client,
} from "@agentclientprotocol/sdk/unstable";
import type { MessageStream } from "../dispatch/message-stream.ts";
import { isRecord } from "../lib/json.ts";
import { VERSION } from "../lib/version.ts";
import type { Output } from "./run-output.ts";

export type RunRequest = {
  readonly prompt: string;
  readonly cwd: string;
  readonly sessionId: string | undefined;
  readonly model: string | undefined;
  readonly mode: string | undefined;
};

export type RunOutcome =
  | {
      readonly type: "ended";
      readonly stopReason: PromptResponse["stopReason"];
      readonly denied: number;
    }
  | { readonly type: "cancelled" }
  | { readonly type: "error"; readonly message: string };

type RunContext = {
  readonly stream: MessageStream;
  readonly output: Output;
  readonly signal: AbortSignal;
};

async function openSession(
  agent: ClientContext,
  { cwd, sessionId, model, mode }: RunRequest,
): Promise<string> {
  await agent.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: {},
    clientInfo: { name: "iac-code run", version: VERSION },
  });
  if (sessionId !== undefined)
    await agent.request("session/resume", { sessionId, cwd, mcpServers: [] });
  const id = sessionId ?? (await agent.request("session/new", { cwd, mcpServers: [] })).sessionId;
  if (model !== undefined)
    await agent.request("session/set_config_option", {
      sessionId: id,
      configId: "model",
      value: model,
    });
  if (mode !== undefined)
    await agent.request("session/set_config_option", {
      sessionId: id,
      configId: "mode",
      value: mode,
    });
  return id;
}

/** One sentence for a person: the message, and the reasons that `data` gives. */
function describe(error: unknown): string {
  if (!(error instanceof RequestError))
    return error instanceof Error ? error.message : String(error);
  const data = isRecord(error.data)
    ? Object.entries(error.data).filter(
        ([key]) => !["kind", "message", "provider", "status", "reason"].includes(key),
      )
    : [];
  const reasons = data.map(([key, value]) => `${key}: ${String(value)}`).join("; ");
  return reasons === "" ? error.message : `${error.message} (${reasons})`;
}

/** Runs the one turn. Never rejects for what the agent answered. */
export async function runTurn(
  request: RunRequest,
  { stream, output, signal }: RunContext,
): Promise<RunOutcome> {
  let denied = 0;
  const connection = client({ name: "iac-code run" })
    .onRequest("session/request_permission", async ({ params }) => {
      const optionId = await output.ask(params, signal);
      if (optionId === undefined || optionId.startsWith("reject")) denied += 1;
      return {
        outcome:
          optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId },
      };
    })
    .onNotification("session/update", ({ params }) => output.show(params.update as SessionUpdate))
    .connect(stream);
  try {
    const { agent } = connection;
    const sessionId = await openSession(agent, request);
    const cancel = () => void agent.notify("session/cancel", { sessionId });
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) return { type: "cancelled" };
    const { stopReason } = await agent.request("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text: request.prompt }],
    });
    return stopReason === "cancelled"
      ? { type: "cancelled" }
      : { type: "ended", stopReason, denied: denied + output.deniedByPolicy() };
  } catch (error) {
    return signal.aborted ? { type: "cancelled" } : { type: "error", message: describe(error) };
  } finally {
    connection.close();
  }
}
