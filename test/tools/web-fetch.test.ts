// web_fetch against a hostile server on this machine: what it may reach, how it follows, and what it makes of a body.

import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { addressFault } from "../../src/tools/fetch-address.ts";
import { bodyToText } from "../../src/tools/fetch-text.ts";
import { createWebFetch, webFetch } from "../../src/tools/web-fetch.ts";
import type { ToolResult } from "../../src/tools/tool.ts";
import { tempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";

type Handler = (request: Request) => Response | Promise<Response>;

/** Names of `.test` lead to this machine; all of them are allowed at the server's port. */
async function fetchFrom(
  handler: Handler,
  path: string,
  options: {
    readonly allowed?: readonly string[];
    readonly args?: object;
    readonly isHostDenied?: (host: string) => boolean;
  } = {},
): Promise<ToolResult & { readonly requests: string[] }> {
  const requests: string[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    fetch: (request) => {
      requests.push(`${request.headers.get("host")} ${new URL(request.url).pathname}`);
      return handler(request);
    },
  });
  await using dir = await tempDir();
  const allowed = options.allowed ?? ["site.test", "other.test"];
  await using tools = await toolContext(dir.path, {
    settings: { fetchAllowPrivate: allowed.map((host) => `${host}:${server.port}`) },
    ...(options.isHostDenied ? { isHostDenied: options.isHostDenied } : {}),
  });
  const tool = createWebFetch({ resolve: async () => ["127.0.0.1"] });
  const url = path.startsWith("http") ? path : `http://site.test:${server.port}${path}`;
  const result = await tools.run(tool, {
    url: url.replace("PORT", String(server.port)),
    ...options.args,
  });
  return { ...result, requests };
}
const withoutPort = (text: string) => text.replaceAll(/:\d{2,5}\b/g, ":PORT");

test("web_fetch returns a page as Markdown, connects to the checked address and sends the name", async () => {
  const html =
    "<html><head><title>T</title><style>p{}</style></head><body><nav>menu</nav><h1>Hi</h1><script>x()</script><p>See <a href='/a'>this</a>.</p><pre><code>a = 1</code></pre></body></html>";
  const result = await fetchFrom(
    () => new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } }),
    "/page",
  );
  expect(withoutPort(result.text)).toBe(
    "T\n\n# Hi\n\nSee [this](/a).\n\n```\na = 1\n```\n[From http://site.test:PORT/page]",
  );
  expect(result.requests.map(withoutPort)).toEqual(["site.test:PORT /page"]);
});

test("web_fetch reaches nothing private that is not allowed by host and port", async () => {
  const answers = async (url: string) => {
    const { ok, text, requests } = await fetchFrom(() => new Response("secret"), url, {
      allowed: [],
    });
    return [ok, requests.length, text.includes("secret")];
  };
  for (const host of [
    "site.test",
    "127.0.0.1",
    "localhost",
    "0x7f.1",
    "2130706433",
    "017700000001",
    "0.0.0.0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "127.1",
    "①②⑦.⓪.⓪.①",
  ])
    expect([host, await answers(`http://${host}:PORT/`)]).toEqual([host, [false, 0, false]]);
  const allowed = await fetchFrom(() => new Response("fine"), "http://127.0.0.1:PORT/", {
    allowed: ["127.0.0.1"],
  });
  expect(allowed.text).toStartWith("fine\n");
});

test("a redirect to a private address or another scheme is refused before anything is sent", async () => {
  const targets = [
    "http://127.0.0.1:PORT/secret",
    "http://168.63.129.16/machine",
    "http://169.254.169.254/latest/meta-data/",
    "file:///etc/passwd",
    "http://user:pw@other.test:PORT/",
    "http://[fd00:ec2::254]/",
    "http://100.100.100.200/",
  ];
  for (const target of targets) {
    const result = await fetchFrom((request) => {
      const { port } = new URL(request.url);
      return new Response(null, {
        status: 302,
        headers: { location: target.replace("PORT", port) },
      });
    }, "/");
    expect([target, result.ok, result.requests.length]).toEqual([target, false, 1]);
  }
});

test("a name that leads to a public and a private address is refused", async () => {
  await using dir = await tempDir();
  await using tools = await toolContext(dir.path);
  const tool = createWebFetch({ resolve: async () => ["93.184.215.14", "10.0.0.1"] });
  const result = await tools.run(tool, { url: "http://both.test/" });
  expect(result.text).toStartWith(
    "both.test is not public: 10.0.0.1 is private. Nothing was sent.",
  );
});

test("redirects are followed five times, relative ones too, and denied hosts are not", async () => {
  const hops: Handler = (request) => {
    const { pathname } = new URL(request.url);
    const left = Number(pathname.slice(1));
    return left === 0
      ? new Response("there")
      : new Response(null, { status: 307, headers: { location: `/${left - 1}` } });
  };
  expect((await fetchFrom(hops, "/5")).text).toStartWith("there\n");
  expect((await fetchFrom(hops, "/6")).text).toStartWith("Gave up after 5 redirects");
  const across: Handler = (request) =>
    request.headers.get("host")?.startsWith("site")
      ? new Response(null, {
          status: 301,
          headers: { location: `http://other.test:${new URL(request.url).port}/` },
        })
      : new Response("other");
  expect((await fetchFrom(across, "/")).text).toStartWith("other\n");
  const denied = await fetchFrom(across, "/", { isHostDenied: (host) => host === "other.test" });
  expect([denied.text, denied.requests.length]).toEqual([
    "A rule denies fetching from other.test.",
    1,
  ]);
});

test("bodies are bounded, also unpacked ones and endless ones", async () => {
  const endless: Handler = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => {
          controller.enqueue(Buffer.alloc(65_536, "x"));
        },
      }),
      { headers: { "content-type": "text/plain" } },
    );
  const cut = await fetchFrom(endless, "/", { args: { max_bytes: 1_000 } });
  expect([
    cut.ok,
    cut.text.length < 1_200,
    cut.text.includes("Only the first 1,000 bytes"),
  ]).toEqual([true, true, true]);
  const bomb = Bun.gzipSync(Buffer.alloc(50 * 1024 * 1024, "z"));
  const unpacked = await fetchFrom(
    () =>
      new Response(bomb, { headers: { "content-type": "text/plain", "content-encoding": "gzip" } }),
    "/",
  );
  expect(unpacked.text.length).toBeLessThan(101_000);
  expect(unpacked.text).toContain("Only the first 5,242,880 bytes");
});

test("an error status, a binary and a wrong URL are told plainly", async () => {
  const missing = await fetchFrom(() => new Response("no such page", { status: 404 }), "/x");
  expect([missing.ok, withoutPort(missing.text)]).toEqual([
    false,
    "no such page\n[Status 404 from http://site.test:PORT/x]",
  ]);
  const image = await fetchFrom(
    () => new Response("x", { headers: { "content-type": "image/png" } }),
    "/x",
  );
  expect(image.text).toEndWith("can be shown: it is image/png, which is not text.");
  await using dir = await tempDir();
  await using tools = await toolContext(dir.path);
  for (const url of [
    "example.com",
    "ftp://example.com",
    "file:///etc/passwd",
    "http://a:b@example.com",
  ])
    expect((await webFetch.prepare({ url }, tools.context)).ok).toBe(false);
});

test("a server that answers nothing is left at an abort, before and after its headers", async () => {
  for (const sendsHeaders of [false, true]) {
    const arrived = Promise.withResolvers<void>();
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      development: false,
      fetch: () => {
        arrived.resolve();
        return sendsHeaders
          ? new Response(
              new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("a")) }),
              { headers: { "content-type": "text/plain" } },
            )
          : new Promise<Response>(() => undefined);
      },
    });
    await using dir = await tempDir();
    await using tools = await toolContext(dir.path, {
      settings: { fetchAllowPrivate: [`site.test:${server.port}`] },
    });
    const running = tools.run(createWebFetch({ resolve: async () => ["127.0.0.1"] }), {
      url: `http://site.test:${server.port}/`,
    });
    await arrived.promise;
    const started = performance.now();
    tools.abort();
    expect((await running).text).toBe("Cancelled.");
    expect(performance.now() - started).toBeLessThan(500);
    await server.stop(true);
  }
});

test("addressFault refuses every address that is not public", () => {
  const refused = [
    "0.1.2.3",
    "10.1.1.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:10.0.0.1",
    "::ffff:a9fe:a9fe",
    "::10.0.0.1",
    "64:ff9b::a00:1",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::1",
    "2002:a00:1::",
    "fd00:ec2::254",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    "2001::1",
    "nonsense",
  ];
  expect(refused.filter((address) => addressFault(address) === undefined)).toEqual([]);
  const open = [
    "1.1.1.1",
    "93.184.215.14",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "64:ff9b::101:101",
    "::ffff:8.8.8.8",
    "2002:808:808::",
  ];
  expect(open.filter((address) => addressFault(address) !== undefined)).toEqual([]);
});

test("a private IPv4 address is refused in every IPv6 clothing", () => {
  fc.assert(
    fc.property(
      fc.nat(255),
      fc.nat(255),
      fc.nat(255),
      fc.constantFrom("::ffff:", "::", "64:ff9b::"),
      (a, b, c, prefix) => {
        expect(addressFault(`${prefix}10.${a}.${b}.${c}`)).toBeDefined();
        const hex = `${(10 * 256 + a).toString(16)}:${(b * 256 + c).toString(16)}`;
        expect(addressFault(`${prefix}${hex}`)).toBeDefined();
      },
    ),
  );
});

test("bodyToText reads charsets, leaves JSON alone and survives deep pages", async () => {
  expect(
    await bodyToText(Buffer.from("caf\u00e9", "latin1"), "text/plain; charset=iso-8859-1"),
  ).toEqual({ ok: true, text: "café" });
  expect(await bodyToText(Buffer.from('{"a": "<b>"}'), "application/json")).toEqual({
    ok: true,
    text: '{"a": "<b>"}',
  });
  const deep = await bodyToText(Buffer.from(`${"<div>".repeat(100_000)}deep`), "text/html");
  expect(deep).toEqual({ ok: true, text: "deep" });
});

test.skipIf(!Bun.which("openssl"))(
  "over TLS the certificate must be the name's, not the address's (needs openssl)",
  async () => {
    await using dir = await tempDir();
    execFileSync(
      "openssl",
      "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=site.test -addext subjectAltName=DNS:site.test".split(
        " ",
      ),
      { cwd: dir.path, stdio: "ignore" },
    );
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      development: false,
      tls: { key: Bun.file(dir.file("key.pem")), cert: Bun.file(dir.file("cert.pem")) },
      fetch: () => new Response("safe"),
    });
    const hosts = ["site.test", "evil.test"];
    await using tools = await toolContext(dir.path, {
      settings: { fetchAllowPrivate: hosts.map((host) => `${host}:${server.port}`) },
    });
    const ca = await Bun.file(dir.file("cert.pem")).text();
    const tool = createWebFetch({ resolve: async () => ["127.0.0.1"], ca });
    const results: boolean[] = [];
    for (const host of hosts)
      results.push((await tools.run(tool, { url: `https://${host}:${server.port}/` })).ok);
    expect(results).toEqual([true, false]);
  },
);
