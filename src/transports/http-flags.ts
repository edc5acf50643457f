// The flags of the HTTP transport, and how they and the environment become its options.

import {
  type FlagValues,
  readBytes,
  readDurationMs,
  readInteger,
  type Transport,
} from "./flags.ts";
import { HTTP_DEFAULTS, type HttpOptions } from "./http-options.ts";

export const HTTP_FLAGS = {
  host: { type: "string", default: "127.0.0.1", value: "ADDRESS", help: "address to listen on" },
  port: {
    type: "string",
    default: "8765",
    value: "PORT",
    help: "port to listen on; 0 picks a free one",
  },
  socket: { type: "string", value: "PATH", help: "serve a unix socket (0600) instead of a port" },
  "allow-host": {
    type: "strings",
    value: "NAME",
    help: "a Host header to accept beside loopback names",
  },
  "allow-origin": {
    type: "strings",
    value: "ORIGIN",
    help: "a web origin to accept beside loopback ones",
  },
  insecure: { type: "boolean", default: false, help: "listen beyond loopback without a token" },
  "tls-cert": { type: "string", value: "FILE", help: "PEM certificate: serve HTTPS" },
  "tls-key": { type: "string", value: "FILE", help: "PEM key of the certificate" },
  http2: {
    type: "boolean",
    default: false,
    help: "speak HTTP/2 too (experimental, no WebSocket over it)",
  },
  "max-body": { type: "string", default: "32MiB", value: "SIZE", help: "largest request body" },
  "max-connections": { type: "string", default: "1000", value: "N", help: "connections at a time" },
  grace: {
    type: "string",
    default: "5m",
    value: "TIME",
    help: "how long a connection outlives its stream",
  },
  drain: {
    type: "string",
    default: "30s",
    value: "TIME",
    help: "how long running turns may end at SIGTERM",
  },
} as const satisfies Transport["flags"];

const text = (values: FlagValues, name: string): string | undefined => {
  const value = values[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

const texts = (values: FlagValues, name: string): readonly string[] => {
  const value = values[name];
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value : [];
};

/** Reads flags and environment. Throws a readable Error that names the flag at fault. */
export function toHttpOptions(
  values: FlagValues,
  env: Readonly<Record<string, string | undefined>>,
): HttpOptions {
  const or = (name: string): string => text(values, name) ?? defaultOf(name);
  const socket = text(values, "socket");
  const certFile = text(values, "tls-cert");
  const keyFile = text(values, "tls-key");
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new Error("--tls-cert and --tls-key go together: give both or none");
  if (socket !== undefined && values["http2"] === true)
    throw new Error("--http2 needs a port: leave out --socket or --http2");
  const token = env["IACCODE_ACP_HTTP_TOKEN"];
  return {
    ...HTTP_DEFAULTS,
    hostname: or("host"),
    port: readInteger("port", or("port"), 0, 65_535),
    ...(socket === undefined ? {} : { socket }),
    ...(certFile === undefined || keyFile === undefined ? {} : { tls: { certFile, keyFile } }),
    http2: values["http2"] === true,
    ...(token === undefined || token === "" ? {} : { token }),
    insecure: values["insecure"] === true,
    allowHosts: texts(values, "allow-host"),
    allowOrigins: texts(values, "allow-origin"),
    maxBodyBytes: readBytes("max-body", or("max-body")),
    maxConnections: readInteger("max-connections", or("max-connections"), 1, 1_000_000),
    graceMs: readDurationMs("grace", or("grace")),
  };
}

function defaultOf(name: string): string {
  const flag = Object.entries(HTTP_FLAGS).find(([known]) => known === name)?.[1];
  return flag !== undefined && "default" in flag && typeof flag.default === "string"
    ? flag.default
    : "";
}
