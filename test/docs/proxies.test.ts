// The proxies of docs/proxies.md: nginx reads its configuration, and really carries a session of ours.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AcpClient } from "../support/acp-client.ts";
import { type AgentProcess, spawnAgent } from "../support/agent-process.ts";
import { fakeModel, text } from "../support/fake-model.ts";
import { snippetsOf } from "../support/snippets.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";

const page = readFileSync(join(import.meta.dir, "../../docs/proxies.md"), "utf8");
const block = snippetsOf(page).find(({ language }) => language === "nginx")?.text ?? "";
const nginx = Bun.which("nginx");
const openssl = Bun.which("openssl");

/** A whole configuration around the block, with everything that nginx writes inside `folder`. */
function around(folder: TempDir, server: string): string {
  const temps = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return [
    `pid ${folder.file("pid")};`,
    "error_log stderr;",
    "daemon off;",
    "master_process off;",
    "events {}",
    "http {",
    "access_log off;",
    ...temps.map((name) => `${name}_temp_path ${folder.file(name)};`),
    server,
    "}",
  ].join("\n");
}

test.skipIf(nginx === null || openssl === null)(
  "nginx accepts the block as it stands, where nginx and openssl are installed",
  async () => {
    await using folder = await tempDir();
    const [certificate, key] = [folder.file("cert.pem"), folder.file("key.pem")];
    const made = Bun.spawnSync([
      openssl ?? "",
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "1",
      "-subj",
      "/CN=agent.example.com",
      "-keyout",
      key,
      "-out",
      certificate,
    ]);
    expect(made.exitCode).toBe(0);
    const server = block
      .replace(/\/etc\/ssl\/\S+\.pem/, certificate)
      .replace(/\/etc\/ssl\/\S+\.key/, key);
    await Bun.write(folder.file("nginx.conf"), around(folder, server));
    const { exitCode, stderr } = Bun.spawnSync([
      nginx ?? "",
      "-t",
      "-c",
      folder.file("nginx.conf"),
    ]);
    expect([exitCode, stderr.toString()]).toEqual([
      0,
      expect.stringContaining("test is successful"),
    ]);
  },
);

function freePort(): number {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") });
  return Number(server.port);
}

/** The agent's address as clients of the proxy see it, once the proxy answers. */
async function untilReady(url: URL, proxy: Bun.Subprocess): Promise<void> {
  for (;;) {
    if (proxy.exitCode !== null) throw new Error(`nginx ended with ${proxy.exitCode}`);
    const isUp = await fetch(new URL("/health", url)).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await Bun.sleep(20);
  }
}

for (const transport of ["http", "websocket"] as const) {
  test.skipIf(nginx === null)(
    `a session runs over ${transport} through nginx as the page sets it up, where nginx is installed`,
    async () => {
      await using folder = await tempDir();
      await using model = await fakeModel([text("Through the proxy.")]);
      const token = "a-token-for-the-proxy-0123456789";
      await using agent = await spawnAgent("http", {
        env: { ...model.env(), IACCODE_ACP_HTTP_TOKEN: token },
      });
      const direct = new URL(agent.url);
      const port = freePort();
      // Only addresses change, and TLS, which the other test has read.
      const server = block
        .replaceAll("127.0.0.1:8765", direct.host)
        .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
        .replaceAll(/^\s*ssl_.*$/gm, "");
      await Bun.write(folder.file("nginx.conf"), around(folder, server));
      const proxy = Bun.spawn([nginx ?? "", "-c", folder.file("nginx.conf")], {
        stdout: "ignore",
        stderr: "ignore",
      });
      try {
        const url = new URL(direct);
        url.port = String(port);
        await untilReady(url, proxy);
        const seen: AgentProcess = { ...agent, url: url.href, stderr: agent.stderr };
        await using client = await AcpClient.open(transport, seen);
        const sessionId = await client.newSession(folder.path);
        expect((await client.prompt(sessionId, "Hi"))["stopReason"]).toBe("end_turn");
        expect(client.text(sessionId)).toBe("Through the proxy.");
      } finally {
        proxy.kill();
        await proxy.exited;
      }
    },
  );
}
