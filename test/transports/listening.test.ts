// Where the HTTP transport listens: TLS, unix sockets, HTTP/2, behind a proxy that buffers; and what the flags mean.

import { expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { must } from "../../src/lib/assert.ts";
import { registryOf } from "../../src/lib/registry.ts";
import * as transports from "../../src/transports/all.ts";
import { toHttpOptions } from "../../src/transports/http-flags.ts";
import { HTTP_DEFAULTS } from "../../src/transports/http-options.ts";
import { openHttp } from "../../src/transports/http.ts";
import { createEchoHost } from "../support/echo-host.ts";
import { startNginx } from "../support/nginx.ts";
import { tempDir } from "../support/temp-dir.ts";
import { INITIALIZE, readEvents, serve, until } from "./http-harness.ts";

const POST = {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(INITIALIZE),
};

test.skipIf(Bun.which("openssl") === null)(
  "TLS serves HTTPS (skipped without openssl)",
  async () => {
    await using dir = await tempDir();
    const certFile = dir.file("cert.pem");
    const keyFile = dir.file("key.pem");
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
    const files = ["-keyout", keyFile, "-out", certFile];
    const make = [
      "openssl",
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
    ];
    await using openssl = Bun.spawn([...make, "-nodes", "-days", "1", ...subject, ...files], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    expect(await openssl.exited).toBe(0);
    await using served = await serve({ tls: { certFile, keyFile } });
    expect(served.url).toStartWith("https://127.0.0.1:");
    const ca = await Bun.file(certFile).text();
    const response = await fetch(served.url, { ...POST, tls: { ca } });
    expect(response.status).toBe(200);
    expect(
      openHttp({ port: 0, tls: { certFile: dir.file("none"), keyFile } }, createEchoHost()),
    ).rejects.toThrow("of --tls-cert");
  },
);

test("a unix socket is 0600, takes the place of a dead one, and goes away at the end", async () => {
  await using dir = await tempDir();
  const socket = dir.file("agent.sock");
  await using dead = Bun.spawn(
    [
      "bun",
      "-e",
      `Bun.serve({ unix: ${JSON.stringify(socket)}, fetch: () => new Response() }); process.stdout.write("up");`,
    ],
    { stdout: "pipe" },
  );
  await dead.stdout.getReader().read();
  expect(openHttp({ socket }, createEchoHost())).rejects.toThrow(`Cannot listen on ${socket}`);
  await until(async () => (await stat(socket)).isSocket());
  dead.kill("SIGKILL");
  await dead.exited;
  const listener = await openHttp({ socket }, createEchoHost());
  expect(listener.address).toBe(`unix:${socket}`);
  expect((await stat(socket)).mode & 0o777).toBe(0o600);
  const response = await fetch("http://localhost/acp", { ...POST, unix: socket });
  const id = must(response.headers.get("Acp-Connection-Id"));
  const stream = await fetch("http://localhost/acp", {
    headers: { "Acp-Connection-Id": id },
    unix: socket,
  });
  await readEvents(stream, () => undefined).untilText(": connected");
  await listener[Symbol.asyncDispose]();
  expect(stat(socket)).rejects.toThrow("ENOENT");
});

test("HTTP/2 serves the same, beside HTTP/1.1", async () => {
  await using served = await serve({ http2: true });
  const id = await served.connect();
  await using curl = Bun.spawn(
    [
      "curl",
      "-sN",
      "--http2-prior-knowledge",
      "-w",
      "%{http_version}",
      "-H",
      `Acp-Connection-Id: ${id}`,
      served.url,
    ],
    { stdout: "pipe" },
  );
  await until(async () =>
    (await (await fetch(`${served.origin}/metrics`)).text()).includes("streams 1\n"),
  );
  await served.post(id, { id: 2, method: "echo", params: {} });
  await served.request("DELETE", { "Acp-Connection-Id": id });
  const output = await curl.stdout.text();
  expect(output).toContain('data: {"jsonrpc":"2.0","id":2,"result":{}}');
  expect(output).toEndWith("\n\n2");
});

test.skipIf(Bun.which("nginx") === null)(
  "a buffering nginx with a short read timeout passes the stream at once and keeps it (skipped without nginx)",
  async () => {
    await using served = await serve({ pingMs: 200 });
    await using dir = await tempDir();
    await using nginx = await startNginx(dir, {
      origin: served.origin,
      readTimeout: "1s",
      first: POST,
    });
    const ask = nginx.fetch;
    const id = must((await ask(POST)).headers.get("Acp-Connection-Id"));
    const headers = { "Acp-Connection-Id": id, "Accept-Encoding": "gzip" };
    const stream = readEvents(await ask({ headers }), () => undefined);
    await stream.untilText(": connected");
    expect(stream.headers.get("Content-Encoding")).toBeNull();
    // Eight pings are 1.6 s, more than the proxy's timeout.
    await stream.untilText(": ping\n\n".repeat(8));
    await served.post(id, { id: 2, method: "echo", params: {} });
    expect(await stream.next()).toMatchObject({ data: { id: 2 } });
  },
);

test("the members say what they are as data, and flags become options", () => {
  expect(registryOf(transports).names).toEqual(["http", "stdio"]);
  expect(toHttpOptions({}, {})).toEqual(HTTP_DEFAULTS);
  const values = {
    host: "0.0.0.0",
    port: "0",
    "allow-host": ["a", "b"],
    "allow-origin": "https://a",
    "max-body": "1MiB",
    "max-connections": "5",
    grace: "30s",
    "tls-cert": "c",
    "tls-key": "k",
    http2: true,
    insecure: true,
  };
  expect(toHttpOptions(values, { IACCODE_ACP_HTTP_TOKEN: "t" })).toEqual({
    ...HTTP_DEFAULTS,
    hostname: "0.0.0.0",
    port: 0,
    allowHosts: ["a", "b"],
    allowOrigins: ["https://a"],
    maxBodyBytes: 1_048_576,
    maxConnections: 5,
    graceMs: 30_000,
    tls: { certFile: "c", keyFile: "k" },
    http2: true,
    insecure: true,
    token: "t",
  });
});

test("a wrong flag is named", () => {
  const wrong: [Record<string, string>, string][] = [
    [{ port: "99999" }, "--port must be a whole number from 0 to 65535"],
    [{ port: "8x" }, "--port must be"],
    [{ grace: "soon" }, "--grace must be a time"],
    [{ "max-body": "-1" }, "--max-body must be a size"],
    [{ "max-connections": "0" }, "--max-connections must be"],
    [{ "tls-cert": "c" }, "--tls-cert and --tls-key go together"],
  ];
  for (const [values, text] of wrong) expect(() => toHttpOptions(values, {})).toThrow(text);
});
