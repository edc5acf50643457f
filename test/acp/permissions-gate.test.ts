// The gate with owners that never answer, fail, go away or are replaced: it denies, and says so in the stored row.

import { expect, test } from "bun:test";
import type { GateRequest } from "../../src/agent/ports.ts";
import type { PermissionEvent } from "../../src/conversation/events.ts";
import type { ClientPort } from "../../src/dispatch/client-port.ts";
import { newSessionId, newToolCallId, toConnectionId } from "../../src/lib/ids.ts";
import type { Grant } from "../../src/permissions/grants.ts";
import { parseRules } from "../../src/permissions/rules.ts";
import { NO_ABILITIES } from "../../src/protocol/capabilities.ts";
import { createGate, type GateParts } from "../../src/sessions/gate.ts";
import { selected } from "./tool-calls.ts";

type Ask = ClientPort["request"];
const SILENT: Ask = (_method, _params, signal) =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
    if (signal.aborted) reject(new Error("aborted"));
  });

const portOf = (request: Ask): ClientPort => ({
  connectionId: toConnectionId("connection"),
  abilities: () => NO_ABILITIES,
  closed: new AbortController().signal,
  update: async () => undefined,
  replay: async () => undefined,
  request,
});

const REQUEST: GateRequest = {
  toolCallId: newToolCallId(),
  tool: "write_file",
  title: "Write main.tf",
  kind: "edit",
  access: { type: "write", paths: [{ path: "/app/main.tf", realPath: "/app/main.tf" }] },
  rawInput: { path: "main.tf" },
  locations: [],
};

/** Asks once; answers with what the loop hears, the stored row, and the grants left behind. */
async function ask(
  owner: GateParts["owner"],
  turn: AbortSignal = new AbortController().signal,
): Promise<{ answer: string; row: string; grants: number }> {
  const rows: PermissionEvent[] = [];
  const grants: Grant[] = [];
  const gate = createGate({
    sessionId: newSessionId(),
    policy: () => ({ mode: "default", rules: parseRules({}).rules, grants, roots: ["/app"] }),
    addGrants: (more) => void grants.push(...more),
    record: async (event) => void rows.push(event),
    owner,
    answerLimitMs: 50,
  });
  const verdict = await gate(REQUEST);
  if (verdict.type !== "ask") throw new Error(`Expected a question, got ${verdict.type}`);
  const answer = await verdict.ask([], turn);
  expect(rows).toHaveLength(1);
  return { answer: answer.type, row: `${rows[0]?.outcome} ${rows[0]?.by}`, grants: grants.length };
}

const always = (request: Ask): GateParts["owner"] => {
  const replaced = new AbortController().signal;
  const port = portOf(request);
  return () => ({ port, replaced });
};

test("an unanswered question is denied when its time is up", async () => {
  expect(await ask(always(SILENT))).toEqual({
    answer: "deny",
    row: "denied no answer in time",
    grants: 0,
  });
});

test("a client that errs, answers nonsense, or is not there is a denial", async () => {
  const broken: Ask = () => Promise.reject(new Error("Method not found"));
  for (const owner of [
    always(broken),
    always(async () => ({ outcome: { outcome: "selected", optionId: "allow_all" } })),
    always(async () => "yes"),
    () => undefined,
  ])
    expect(await ask(owner)).toEqual({ answer: "deny", row: "denied no valid answer", grants: 0 });
});

test("a turn that ends cancels its question, and an answer that comes with it gives nothing", async () => {
  const turn = new AbortController();
  const late: Ask = async () => {
    turn.abort();
    return selected("allow_always");
  };
  expect(await ask(always(late), turn.signal)).toEqual({
    answer: "cancelled",
    row: "cancelled cancelled",
    grants: 0,
  });
});

test("the question goes on to whoever takes the session over, and to nobody when nobody does", async () => {
  const first = new AbortController();
  const asked: string[] = [];
  const owners = [
    {
      port: portOf((...args) => (asked.push("first"), first.abort(), SILENT(...args))),
      replaced: first.signal,
    },
    {
      port: portOf(async () => (asked.push("second"), selected("allow_always"))),
      replaced: new AbortController().signal,
    },
  ];
  let at = 0;
  expect(await ask(() => owners[at++])).toEqual({
    answer: "allow",
    row: "allowed answer allow_always",
    grants: 1,
  });
  expect(asked).toEqual(["first", "second"]);
  const gone = new AbortController();
  gone.abort();
  let turns = 0;
  const alone = () => (turns++ === 0 ? { port: portOf(SILENT), replaced: gone.signal } : undefined);
  expect(await ask(alone)).toMatchObject({ answer: "deny", grants: 0 });
});
