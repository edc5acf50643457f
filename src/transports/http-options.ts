// What the HTTP transport can be told, with the defaults of the contract.

import { OUTBOX_LIMITS, type OutboxLimits } from "./outbox.ts";

export type HttpOptions = {
  /** Address to bind. Default 127.0.0.1. */
  readonly hostname: string;
  /** Default 8765; 0 picks a free one. */
  readonly port: number;
  /** A path: serve a unix socket there (mode 0600) instead of a port. */
  readonly socket?: string;
  /** Files of a PEM certificate and its key: serve HTTPS. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** Also speak HTTP/2. No WebSocket over it. */
  readonly http2: boolean;
  /** The bearer token every request but `/health` needs. */
  readonly token?: string;
  /** Bind beyond loopback without a token. */
  readonly insecure: boolean;
  /** Names a `Host` header may have beside the loopback ones, `name` or `name:port`. */
  readonly allowHosts: readonly string[];
  /** Origins such as `https://app.example.com` allowed beside the loopback ones. */
  readonly allowOrigins: readonly string[];
  /** Default 32 MiB. */
  readonly maxBodyBytes: number;
  /** Default 1,000. */
  readonly maxConnections: number;
  /** How long a connection outlives its last stream. Default 5 min. */
  readonly graceMs: number;
  /** How long a connection without stream, request and message lives. Default 30 min. */
  readonly idleMs: number;
  /** Default 14 s. */
  readonly pingMs: number;
  /** How long `initialize` may take. Default 30 s. */
  readonly initializeMs: number;
  /** How long a request body may pause. Default 60 s. */
  readonly bodyIdleMs: number;
  readonly outbox: OutboxLimits;
};

export const HTTP_DEFAULTS: HttpOptions = {
  hostname: "127.0.0.1",
  port: 8765,
  http2: false,
  insecure: false,
  allowHosts: [],
  allowOrigins: [],
  maxBodyBytes: 32 * 1024 * 1024,
  maxConnections: 1_000,
  graceMs: 5 * 60_000,
  idleMs: 30 * 60_000,
  // A little under the 15 s that the contract and many proxies' limits name, so that such a proxy sees a byte in time.
  pingMs: 14_000,
  initializeMs: 30_000,
  bodyIdleMs: 60_000,
  outbox: OUTBOX_LIMITS,
};
