// What the agent's loop is given, made from a live session for one turn.

import { createAfterEdit } from "../agent/after-edit.ts";
import type { AgentPorts, ModelChoice } from "../agent/ports.ts";
import { runSubagent } from "../agent/subagent.ts";
import type { ToolContext } from "../tools/tool.ts";
import { realPathOfDeepest } from "../lib/path-inside.ts";
import { matchesHost } from "../permissions/command-rules.ts";
import { pathDenier } from "../permissions/path-rules.ts";
import { createAskUser } from "./ask-user.ts";
import { createClientFiles, createClientTerminal } from "./client-tools.ts";
import { createGate } from "./gate.ts";
import type { LiveSession } from "./live-session.ts";
import { effectiveLevel } from "./session-state.ts";

async function modelChoice(session: LiveSession): Promise<ModelChoice> {
  const choices = session.choices();
  const { model } = choices;
  const thoughtLevel = effectiveLevel(choices);
  return {
    provider: await session.environment.models.open(model),
    model: model.model,
    contextWindow: model.contextWindow,
    ...(model.maxOutputTokens === undefined ? {} : { maxOutputTokens: model.maxOutputTokens }),
    ...(thoughtLevel === undefined ? {} : { thoughtLevel }),
  };
}

/** The client's files and terminal, present only where it has them. */
function clientSide(session: LiveSession): Pick<ToolContext, "files" | "terminal"> {
  const { port, id } = session;
  const files = port === undefined ? undefined : createClientFiles(port, id);
  const terminal = port === undefined ? undefined : createClientTerminal(port, id);
  return {
    ...(files === undefined ? {} : { files }),
    ...(terminal === undefined ? {} : { terminal }),
  };
}

export async function createAgentPorts(
  session: LiveSession,
  controller: AbortController,
): Promise<AgentPorts> {
  const { environment, roots, record } = session;
  const [rules, outputDir] = await Promise.all([
    environment.rulesFor(record.realCwd),
    realPathOfDeepest(session.toolSession.outputDir),
  ]);
  const readable = [outputDir];
  const isDenied = pathDenier(rules.deny, roots);
  const ports: AgentPorts = {
    emit: (event) => session.voice.emit(event),
    messages: () => session.history.messages(),
    seqAt: (index) => session.history.seqAt(index),
    systemPrompt: () => session.systemPrompt(),
    model: () => modelChoice(session),
    tools: session.offers.tools,
    budget: session.budget,
    gate: createGate({
      sessionId: session.id,
      policy: () => ({ mode: session.mode, rules, grants: session.grants, roots, readable }),
      addGrants: (grants) => void session.grants.push(...grants),
      record: (event, { parent }) =>
        session.voice.emit(parent === undefined ? event : { ...event, parent }),
      owner: () => session.owner(),
    }),
    masker: session.masker,
    afterEdit: createAfterEdit(),
    toolContext: ({ toolCallId, signal, progress }) => ({
      cwd: record.cwd,
      roots,
      signal,
      progress,
      session: session.toolSession,
      settings: environment.settings,
      isPathDenied: (path) => isDenied({ path, realPath: path }),
      isHostDenied: (host) => rules.deny.some((rule) => matchesHost(rule, host)),
      runSubagent: (prompt, description, childSignal) =>
        runSubagent({ prompt, description, parent: toolCallId }, ports, childSignal),
      showPlan: (entries) => session.voice.emit({ type: "plan", entries }),
      askUser: createAskUser({
        sessionId: session.id,
        toolCallId,
        owner: () => session.owner(),
        cancelTurn: () => controller.abort(),
      }),
      ...clientSide(session),
    }),
    cwd: record.cwd,
    roots,
    plans: session.toolSession.plans,
    cacheKey: session.id,
    cancelTurn: () => controller.abort(),
  };
  return ports;
}
