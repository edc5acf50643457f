// HTTP as a member of this room: its flags are light data, its server is loaded when it is opened.

import type { Transport } from "./flags.ts";
import { HTTP_FLAGS, toHttpOptions } from "./http-flags.ts";

export const http: Transport = {
  name: "http",
  help: "many clients over HTTP, server-sent events and WebSocket",
  flags: HTTP_FLAGS,
  open: async (values, { host, env }) => {
    const options = toHttpOptions(values, env);
    const { openHttp } = await import("./http.ts");
    return openHttp(options, host);
  },
};
