// What a slash command may see and do of its session.

import { toolSpecs } from "../agent/loop.ts";
import type { AgentPorts } from "../agent/ports.ts";
import { runPrepared, prepareCall } from "../agent/run-tool.ts";
import type { CommandSession } from "../commands/command.ts";
import type { AgentEvent } from "../conversation/events.ts";
import { newToolCallId } from "../lib/ids.ts";
import { RpcError } from "../protocol/errors.ts";
import { MODES } from "../permissions/modes.ts";
import type { PreparedCall } from "../tools/tool.ts";
import { prepareUndo } from "../tools/undo.ts";
import type { LiveSession } from "./live-session.ts";
import { createAgentPorts } from "./session-ports.ts";
import { titleFrom } from "./title.ts";

/** A refusal of ours as a sentence; anything else is a fault and flies on. */
async function orWhyNot(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RpcError)
      return Object.values(error.data ?? { error: error.message }).join(" ");
    throw error;
  }
}

async function runTool(
  session: LiveSession,
  controller: AbortController,
  name: string,
  args: object,
): Promise<string> {
  const ports = await createAgentPorts(session, controller);
  const call = { id: newToolCallId(), name, arguments: JSON.stringify(args) };
  const prepared = await prepareCall(call, ports);
  return prepared.ok ? runCall(name, prepared.call, ports, controller) : prepared.text;
}

async function undo(session: LiveSession, controller: AbortController): Promise<string> {
  const ports = await createAgentPorts(session, controller);
  const prepared = await prepareUndo(session.toolSession, ports.cwd);
  return typeof prepared === "string" ? prepared : runCall("undo", prepared, ports, controller);
}

/** Through the gate to its end; returns what the model would be told. */
async function runCall(
  name: string,
  call: PreparedCall,
  ports: AgentPorts,
  { signal }: AbortController,
): Promise<string> {
  let text = "";
  const emit = async (event: AgentEvent): Promise<void> => {
    if (event.type === "tool_result") text = event.text;
    await ports.emit(event);
  };
  await runPrepared({ toolCallId: newToolCallId(), name }, call, { ...ports, emit }, signal);
  return text;
}

async function compact(session: LiveSession, controller: AbortController): Promise<string> {
  const ports = await createAgentPorts(session, controller);
  const choice = await ports.model();
  const situation = {
    system: { role: "system", text: await ports.systemPrompt() } as const,
    tools: toolSpecs(ports),
    choice,
  };
  const isDone = await session.budget.compactNow(situation, ports, controller.signal);
  return isDone || controller.signal.aborted ? "" : "There is nothing to summarise yet.";
}

export function createCommandSession(
  session: LiveSession,
  controller: AbortController,
): CommandSession {
  const { environment } = session;
  return {
    status: async () => {
      const { model, modeId } = session.choices();
      const missing = environment.models.missing();
      const instructions = await environment.instructionsFor(session.record.realCwd);
      const servers = session.offers.servers.status();
      return [
        ["Session", session.id],
        ["Directory", session.record.cwd],
        ["Model", missing === undefined ? model.id : `${model.id} (${missing})`],
        ["Mode", modeId],
        ["Messages", String(session.history.messages().length)],
        ["Context window", `${model.contextWindow} tokens`],
        ["Instructions", instructions.map(({ path }) => path).join(", ") || "none"],
        ...servers.map(
          ({ name, state }) => [`MCP server ${name}`, session.masker.mask(state)] as const,
        ),
      ];
    },
    commands: () => session.offers.commands().all,
    runTool: (name, args) => runTool(session, controller, name, args),
    undo: () => undo(session, controller),
    compact: () => compact(session, controller),
    clear: async () => {
      const upToSeq = session.history.lastSeq;
      await session.voice.emit({
        type: "compaction",
        summary: "The user cleared the conversation; nothing before this counts.",
        upToSeq,
      });
    },
    rename: async (title) => {
      const clean = titleFrom([{ type: "text", text: title }]) ?? title;
      await session.setTitle(clean);
      return clean;
    },
    models: () => ({
      current: session.choices().model.id,
      ids: environment.models.options().map((option) => option.id),
    }),
    setModel: (id) =>
      orWhyNot(async () => {
        await session.setModel(id);
        return `The model is now \`${id}\`.`;
      }),
    modes: () => ({ current: session.mode, ids: MODES.map((mode) => mode.id) }),
    setMode: (id) =>
      orWhyNot(async () => {
        await session.setMode(id);
        return `The mode is now \`${id}\`.`;
      }),
  };
}
