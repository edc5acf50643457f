// Real processes: what reaches a group, what escapes it, and what is left behind.

import { expect, test } from "bun:test";
import { type ProcessGroup, spawnGroup } from "../../src/lib/process-group.ts";
import { runToEnd } from "../../src/lib/process-run.ts";
import { tempDir } from "../support/temp-dir.ts";

const PATH = process.env["PATH"] ?? "/usr/bin:/bin";
const onLinux = process.platform === "linux";

function start(script: string, cwd: string): { group: ProcessGroup; text: () => string } {
  let text = "";
  const keep = (chunk: Uint8Array) => {
    text += Buffer.from(chunk).toString();
  };
  const group = spawnGroup(["bash", "-c", script], {
    cwd,
    env: { PATH },
    output: { type: "pipes", onStdout: keep, onStderr: keep },
  });
  return { group, text: () => text };
}

async function until(condition: () => boolean, withinMs = 5_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error("The condition did not hold in time");
    await Bun.sleep(5);
  }
}

test("spawnGroup tells the exit code and the signal", async () => {
  await using dir = await tempDir();
  expect(await start("exit 3", dir.path).group.exited).toEqual({ exitCode: 3 });
  expect(await start("kill -TERM $$", dir.path).group.exited).toEqual({ signal: "SIGTERM" });
});

test("spawnGroup gives an empty stdin and no inherited environment", async () => {
  await using dir = await tempDir();
  const { group, text } = start("cat; env | cut -d= -f1 | sort | tr '\\n' ' '", dir.path);
  await group.exited;
  await group.drained;
  expect(
    text()
      .split(" ")
      .filter((name) => !/^(PATH|PWD|SHLVL|_|)$/.test(name)),
  ).toEqual(["IACCODE_GROUP"]);
});

test("terminate reaches grandchildren", async () => {
  await using dir = await tempDir();
  const { group, text } = start("(sleep 300 & sleep 300 & wait) & echo up; wait", dir.path);
  await until(() => text().includes("up") && group.members().length >= 4);
  await group.terminate();
  expect(group.members()).toEqual([]);
});

test.skipIf(!onLinux)(
  "terminate finds a descendant that made a session of its own (Linux only)",
  async () => {
    await using dir = await tempDir();
    const { group, text } = start("setsid sleep 300 & echo up; wait", dir.path);
    await until(() => text().includes("up") && group.members().length >= 2);
    await group.terminate();
    expect(group.members()).toEqual([]);
  },
);

test("terminate kills what ignores TERM, after the grace", async () => {
  await using dir = await tempDir();
  const { group, text } = start("trap '' TERM; echo up; while :; do sleep 0.05; done", dir.path);
  await until(() => text().includes("up"));
  await group.terminate(150);
  expect(await group.exited).toEqual({ signal: "SIGKILL" });
});

test("exited does not wait for a child that holds the pipe", async () => {
  await using dir = await tempDir();
  const { group } = start("sleep 300 & exit 0", dir.path);
  expect(await group.exited).toEqual({ exitCode: 0 });
  await group.terminate();
  await group.drained;
});

test("runToEnd keeps the streams apart and bounds both", async () => {
  await using dir = await tempDir();
  const options = {
    cwd: dir.path,
    env: { PATH },
    signal: new AbortController().signal,
    timeoutMs: 10_000,
  };
  const small = await runToEnd(["bash", "-c", "echo out; echo err >&2; exit 2"], options);
  expect({ ...small, stdout: String(small.stdout), stderr: String(small.stderr) }).toEqual({
    end: { type: "exited", exit: { exitCode: 2 } },
    stdout: "out\n",
    stderr: "err\n",
    omittedBytes: 0,
  });
  const big = await runToEnd(["bash", "-c", "head -c 100000 /dev/zero"], {
    ...options,
    maxBytes: 1_000,
  });
  expect([big.stdout.byteLength, big.omittedBytes]).toEqual([1_000, 99_000]);
});

test("runToEnd ends at its time limit, at an abort, and says why nothing could start", async () => {
  await using dir = await tempDir();
  const options = {
    cwd: dir.path,
    env: { PATH },
    signal: new AbortController().signal,
    timeoutMs: 100,
  };
  expect((await runToEnd(["sleep", "300"], options)).end).toEqual({ type: "timed_out" });
  const controller = new AbortController();
  const run = runToEnd(["sleep", "300"], {
    ...options,
    signal: controller.signal,
    timeoutMs: 60_000,
  });
  controller.abort();
  expect((await run).end).toEqual({ type: "cancelled" });
  expect((await runToEnd(["no-such-program-here"], options)).end.type).toBe("not_started");
});

test.skipIf(!onLinux)(
  "no process and no zombie is left after many interrupted runs (Linux only)",
  async () => {
    await using dir = await tempDir();
    const groups = Array.from(
      { length: 10 },
      () => start("sleep 300 & sleep 300 & sleep 300 & wait", dir.path).group,
    );
    await Promise.all(groups.map((group) => group.terminate()));
    expect(groups.flatMap((group) => group.members())).toEqual([]);
    const zombies = groups.filter((group) => {
      try {
        process.kill(group.pid, 0);
        return true;
      } catch {
        return false;
      }
    });
    expect(zombies).toEqual([]);
  },
);
