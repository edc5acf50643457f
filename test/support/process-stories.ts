// How the program's process ends, and what a client costs that reads late, never, or goes away: told once, run on the
// source tree (test/acp/process.test.ts) and on the binary (test/binary/wire.binary.ts).

import { expect } from "bun:test";
import { isRecord, parseJson } from "../../src/lib/json.ts";
import { AcpClient, answerPermissions, openAgent } from "./acp-client.ts";
import { fakeModel, toolCall } from "./fake-model.ts";
import { processesWith } from "./processes.ts";
import {
  INITIALIZE_LINE,
  START,
  loadLine,
  residentMib,
  shellRig,
  ticksOf,
  untilEnded,
} from "./shell-rig.ts";
import { storeSession } from "./stored-session.ts";
import { tempDir } from "./temp-dir.ts";

type Command = readonly string[];
export type Story = { readonly name: string; readonly run: (command: Command) => Promise<void> };

// The names that stand in the requirements; each is told of several ways.
const ENDS =
  "an end in the middle of a command answers the turn, ends the command, stores both and exits with 0";
const READER_GONE = "a reader that goes away ends the program once, with 0 and without a word";
const LOG_GONE = "a stderr that nobody reads costs no turn, no output and no busy loop";

/** 20 MB of stored conversation. */
const MUCH = { messages: 200, bytesEach: 100_000 };
/** How long a client may read nothing. */
const UNREAD_SECONDS = 5;
const MAX_RESIDENT_MIB = 450;

/** A turn whose command sleeps; resolves when it does. */
async function startSleep(client: AcpClient, cwd: string, mark: string) {
  answerPermissions(client, "allow_once");
  const sessionId = await client.newSession(cwd);
  const turn = client.prompt(sessionId, "Sleep");
  turn.catch(() => undefined);
  await client.until(() => processesWith(`sleep ${mark}`).length > 0, "the command");
  return { sessionId, turn };
}

const sleepCall = (mark: string) => toolCall("bash", { command: `sleep ${mark}` });

/** Whoever loads the session later sees the call as failed. */
async function expectStored(home: string, sessionId: string, cwd: string, command: Command) {
  await using later = await openAgent("stdio", { command, home });
  await later.initialize();
  await later.request("session/load", { sessionId, cwd, mcpServers: [] });
  expect(later.toolCalls(sessionId).map(({ status }) => status)).toEqual(["failed"]);
}

const ENDINGS: readonly (readonly [what: string, end: (client: AcpClient) => void])[] = [
  ["the end of stdin", ({ process: { child } }) => void child.stdin.end()],
  ["SIGTERM", ({ process: { child } }) => child.kill("SIGTERM")],
  ["SIGINT", ({ process: { child } }) => child.kill("SIGINT")],
  ["SIGHUP", ({ process: { child } }) => child.kill("SIGHUP")],
];

const endings = ENDINGS.map(([what, end], index): Story => ({
  name: `${ENDS}: ${what}`,
  run: async (command) => {
    const mark = `${80 + index}.${process.pid}`;
    await using project = await tempDir();
    await using model = await fakeModel([sleepCall(mark)]);
    await using client = await openAgent("stdio", { command, env: model.env() });
    const { sessionId, turn } = await startSleep(client, project.path, mark);
    end(client);
    expect(await client.process.child.exited).toBe(0);
    expect((await turn)["stopReason"]).toBe("cancelled");
    expect(client.toolCalls(sessionId).map(({ status }) => status)).toEqual(["failed"]);
    expect(processesWith(`sleep ${mark}`)).toEqual([]);
    client.assertConformant();
    await expectStored(client.process.home, sessionId, project.path, command);
  },
}));

const emptyInput: Story = {
  name: "an empty stdin ends the program with 0 and not a byte",
  run: async (command) => {
    await using rig = shellRig(command, '"$@" </dev/null; echo "exit $?" >"$REPORT"');
    expect(await rig.report()).toBe("exit 0");
    expect([await rig.child.stdout.text(), rig.stderr()]).toEqual(["", ""]);
  },
};

const vanishedParent: Story = {
  name: "a parent that vanishes ends the program and its command, though others hold the pipe",
  run: async (command) => {
    const mark = `90.${process.pid}`;
    await using project = await tempDir();
    await using model = await fakeModel([sleepCall(mark)]);
    const wrapper = `bash -c '"$@" <&4 & echo $! >"$PID"; wait' wrapper "$@"`;
    const script = `exec 4<&0; ${wrapper} & echo $! >"$REPORT"; sleep 300`;
    await using rig = shellRig(command, script, model.env());
    const client = await AcpClient.open("stdio", rig);
    await startSleep(client, project.path, mark);
    const pid = await rig.pid();
    process.kill(Number(await rig.report()), "SIGKILL");
    await untilEnded(pid);
    expect(processesWith(`sleep ${mark}`).filter(({ line }) => line.startsWith("sleep"))).toEqual(
      [],
    );
  },
};

const secondSignal: Story = {
  name: "a second signal ends the program at once, as if it had no handler",
  run: async (command) => {
    await using project = await tempDir();
    const reader = `{ head -c 300000 >/dev/null; echo read >"$REPORT.read"; sleep 300; }`;
    const script = `{ ${START}; echo "exit $?" >"$REPORT"; } | ${reader}`;
    await using rig = shellRig(command, script);
    const sessionId = await storeSession(rig.home, project.path, MUCH);
    void rig.child.stdin.write(INITIALIZE_LINE + loadLine(sessionId, project.path));
    await rig.child.stdin.flush();
    const pid = await rig.pid();
    for (let isReading = false; !isReading; await Bun.sleep(20))
      isReading = await Bun.file(`${rig.home}/report.read`).exists();
    // The rest is unread, so that the first signal alone would wait for the client.
    await untilEnded(pid, () => process.kill(pid, "SIGTERM"));
    expect(await rig.report()).toBe("exit 143");
  },
};

const brokenPipes: readonly Story[] = [
  ["stdout", "", " | head -c 10 >/dev/null"],
  ["stdout and stderr", " 2> >(exec true)", " | head -c 10 >/dev/null"],
  ["stdout with stderr closed", " 2>&-", " | head -c 10 >/dev/null"],
].map(([what, stderr, stdout]) => ({
  name: `${READER_GONE}: ${what}`,
  run: async (command) => {
    await using project = await tempDir();
    const script = `{ ${START}${stderr}; echo "exit $?" >"$REPORT"; }${stdout}`;
    await using rig = shellRig(command, script, {
      IACCODE_LOG: what === "stdout" ? "warn" : "debug",
    });
    const sessionId = await storeSession(rig.home, project.path, MUCH);
    void rig.child.stdin.write(INITIALIZE_LINE + loadLine(sessionId, project.path));
    await rig.child.stdin.flush();
    // stdin stays open: it is the broken pipe that ends it.
    expect(await rig.report()).toBe("exit 0");
    expect(rig.stderr()).toBe("");
  },
}));

const brokenLog: readonly Story[] = [
  ["closed", "2>&-"],
  ["broken", "2> >(exec true)"],
].map(([what, redirect]) => ({
  name: `${LOG_GONE}: ${what}`,
  run: async (command) => {
    await using project = await tempDir();
    await using rig = shellRig(command, `${START} ${redirect}`, { IACCODE_LOG: "debug" });
    const client = await AcpClient.open("stdio", rig);
    await client.newSession(project.path);
    // Each of these is a line of the log.
    for (let n = 0; n < 200; n += 1)
      await client.send(`{"jsonrpc":"2.0","id":{"n":${n}},"result":1}`);
    await client.request("session/list", {});
    const pid = await rig.pid();
    const before = ticksOf(pid);
    await Bun.sleep(1_000);
    expect(ticksOf(pid) - before).toBeLessThan(50);
    await client[Symbol.asyncDispose]();
    await untilEnded(pid);
    client.assertConformant();
  },
}));

const lateReader: Story = {
  name: "a client that reads nothing for 5 s while a load replays 20 MB gets every line whole",
  run: async (command) => {
    await using project = await tempDir();
    const script = `{ ${START}; echo "exit $?" >"$REPORT"; } | { sleep ${UNREAD_SECONDS}; cat; }`;
    await using rig = shellRig(command, script);
    const sessionId = await storeSession(rig.home, project.path, MUCH);
    void rig.child.stdin.write(INITIALIZE_LINE + loadLine(sessionId, project.path));
    await rig.child.stdin.flush();
    const pid = await rig.pid();
    const decoder = new TextDecoder();
    let output = "";
    let peakMib = 0;
    const timer = setInterval(() => (peakMib = Math.max(peakMib, residentMib(pid))), 50);
    for await (const chunk of rig.child.stdout) {
      output += decoder.decode(chunk, { stream: true });
      if (output.slice(-8_000).includes('"id":2,"result"')) await rig.child.stdin.end();
    }
    clearInterval(timer);
    expect(await rig.report()).toBe("exit 0");
    const messages = output.trimEnd().split("\n").map(parseJson);
    expect(messages.every(isRecord)).toBe(true);
    const chunks = output.match(/"text":"\d+:x+"/g) ?? [];
    expect(
      chunks.map((chunk) => [Number.parseInt(chunk.slice(8)), chunk.length > MUCH.bytesEach]),
    ).toEqual(Array.from({ length: MUCH.messages }, (_, n) => [n, true]));
    expect(output.endsWith("\n")).toBe(true);
    expect(peakMib).toBeLessThan(MAX_RESIDENT_MIB);
  },
};

const neverReader: Story = {
  name: "a client that reads nothing, ever, does not hold the program back when its input ends",
  run: async (command) => {
    await using project = await tempDir();
    const script = `{ ${START}; echo "exit $?" >"$REPORT"; } | sleep 300`;
    await using rig = shellRig(command, script);
    const sessionId = await storeSession(rig.home, project.path, MUCH);
    void rig.child.stdin.write(INITIALIZE_LINE + loadLine(sessionId, project.path));
    await rig.child.stdin.end();
    expect(await rig.report()).toBe("exit 0");
  },
};

export const STORIES: readonly Story[] = [
  ...endings,
  emptyInput,
  vanishedParent,
  secondSignal,
  ...brokenPipes,
  ...brokenLog,
  lateReader,
  neverReader,
];
