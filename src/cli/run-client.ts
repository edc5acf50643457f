// The client side of `run`: handshake, session, one prompt, permission answers.

import {
  type ClientContext,
  type PromptResponse,
  type SessionUpdate,
  client,
} from "@agentclientprotocol/sdk/unstable";
import type { MessageStream } from "../dispatch/message-stream.ts";
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
      readonly sessionId: string;
      readonly stopReason: PromptResponse["stopReason"];
      readonly denied: number;
    }
  | { readonly type: "cancelled" }
  | { readonly type: "error"; readonly error: unknown };

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
      : { type: "ended", sessionId, stopReason, denied: denied + output.deniedByPolicy() };
  } catch (error) {
    return signal.aborted ? { type: "cancelled" } : { type: "error", error };
  } finally {
    connection.close();
  }
}
