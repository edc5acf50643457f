// A real nginx in front of a server, with everything that is bad for event streams turned on: buffering, compression, a
// short read timeout. It listens on a unix socket.

import type { TempDir } from "./temp-dir.ts";

export type Nginx = AsyncDisposable & {
  readonly fetch: (init: RequestInit) => Promise<Response>;
};

/** Starts it in `dir`; resolves when it passes the handshake `first` on to `origin`. */
export async function startNginx(
  dir: TempDir,
  { origin, readTimeout, first }: { origin: string; readTimeout: string; first: RequestInit },
): Promise<Nginx> {
  const unix = dir.file("nginx.sock");
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${dir.file(name)};`)
    .join("\n");
  await Bun.write(
    dir.file("nginx.conf"),
    `daemon off; pid ${dir.file("pid")}; error_log stderr;
     events {}
     http {
       access_log off; ${temp}
       gzip on; proxy_buffering on; proxy_read_timeout ${readTimeout};
       server { listen unix:${unix}; location / {
         proxy_pass ${origin}; proxy_http_version 1.1; proxy_set_header Host localhost; } }
     }`,
  );
  const child = Bun.spawn(["nginx", "-c", dir.file("nginx.conf"), "-p", dir.path], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  const ask = (init: RequestInit) => fetch("http://localhost/acp", { ...init, unix });
  const isUp = () =>
    ask(first).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
    await Bun.sleep(10);
  }
  return {
    fetch: ask,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await child.exited;
    },
  };
}
