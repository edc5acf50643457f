// packaging/install.sh against a server of releases on loopback: what it installs, and what it refuses.

import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type CliResult, runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

const SCRIPT = join(import.meta.dir, "../../packaging/install.sh");
const hasFetcher = Bun.which("curl") !== null || Bun.which("wget") !== null;
const target = Bun.spawnSync(["sh", SCRIPT, "--target"], { env: { ...process.env, HOME: "/" } })
  .stdout.toString()
  .trim();
const ARCHIVE = `iac-code-v9.9.9-${target}.tar.gz`;

type Install = CliResult & { readonly installed: readonly string[] };

/** Serves an archive whose program prints 9.9.9, with `sums` for it, and installs from there. */
async function install(
  sums: (sha256: string) => string,
  more: Record<string, string> = {},
): Promise<Install> {
  await using home = await tempDir({ "src/iac-code": "#!/bin/sh\necho 9.9.9\n" });
  Bun.spawnSync(["chmod", "755", home.file("src/iac-code")]);
  Bun.spawnSync(["tar", "-czf", home.file(ARCHIVE), "-C", home.file("src"), "iac-code"]);
  const bytes = await Bun.file(home.file(ARCHIVE)).bytes();
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    fetch: (request) => {
      const path = new URL(request.url).pathname;
      if (path === "/v/SHA256SUMS") return new Response(sums(sha256));
      if (path === `/v/${ARCHIVE}`) return new Response(bytes);
      return new Response("no", { status: 404 });
    },
  });
  const result = await runCli([], {
    command: ["sh", SCRIPT],
    home: home.path,
    env: { IACCODE_RELEASE_URL: `http://127.0.0.1:${server.port}/v`, ...more },
  });
  const folder = home.file(".local/bin");
  return { ...result, installed: existsSync(folder) ? readdirSync(folder) : [] };
}

test.skipIf(!hasFetcher)(
  "install.sh installs a program whose sum is right, and says where",
  async () => {
    const result = await install(
      (sha256) => `${"0".repeat(64)}  iac-code-v9.9.9-other.tar.gz\n${sha256}  ${ARCHIVE}\n`,
    );
    expect([result.err, result.code]).toEqual(["", 0]);
    expect(result.out).toMatch(/^iac-code 9\.9\.9 is in .*\.local\/bin\nAdd that folder to PATH/);
    expect(result.installed).toEqual(["iac-code"]);
  },
);

test.skipIf(!hasFetcher)(
  "install.sh installs nothing when the sum is wrong or missing, or the address is not safe",
  async () => {
    const wrong = await install(() => `${"0".repeat(64)}  ${ARCHIVE}\n`);
    expect([wrong.code, wrong.installed]).toEqual([1, []]);
    expect(wrong.err).toContain("nothing was installed");
    const missing = await install((sha256) => `${sha256}  iac-code-v9.9.9-other.tar.gz\n`);
    expect([missing.code, missing.installed]).toEqual([1, []]);
    expect(missing.err).toContain(`no archive for ${target}`);
    const plain = await install(() => "", { IACCODE_RELEASE_URL: "http://releases.example.com/v" });
    expect([plain.code, plain.installed]).toEqual([1, []]);
    expect(plain.err).toContain("https");
  },
);
