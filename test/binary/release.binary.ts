// A release as its users get it: built for this machine, downloaded and checked by the install script, run.
// Run by .ci/run after the build: bun test ./test/binary/release.binary.ts

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { archiveName, hostTarget, release } from "../../release.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

const target = hostTarget();
const hasFetcher = Bun.which("curl") !== null || Bun.which("wget") !== null;

test.skipIf(target === undefined || !hasFetcher)(
  "a release for this machine is installed by its own script and runs",
  async () => {
    if (target === undefined) return;
    await using home = await tempDir();
    const folder = home.file("release");
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      development: false,
      fetch: (request) => new Response(Bun.file(join(folder, new URL(request.url).pathname))),
    });
    const { missing } = await release([target], folder, `http://127.0.0.1:${server.port}`);
    expect(missing).toEqual([]);
    expect(readFileSync(join(folder, "agent.json"), "utf8")).toContain(archiveName(target));
    const child = Bun.spawn(["sh", join(folder, "install.sh")], {
      env: { PATH: process.env["PATH"] ?? "", HOME: home.path },
      stdout: "pipe",
      stderr: "inherit",
    });
    expect([await child.exited, await child.stdout.text()]).toEqual([
      0,
      expect.stringContaining(`iac-code ${version} is in ${home.file(".local/bin")}`),
    ]);
    const result = await runCli(["--version"], { command: [home.file(".local/bin/iac-code")] });
    expect(result).toEqual({ code: 0, out: `${version}\n`, err: "" });
  },
);
