// Who may talk to the HTTP transport: the bearer token, and where it may listen without one.

import { createHash, timingSafeEqual } from "node:crypto";
import { failure } from "./reply.ts";

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Compares in constant time, whatever the lengths. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

/** A 401 unless the request carries `Authorization: Bearer <token>`; undefined when it may pass. */
export function refuseToken(request: Request, token: string | undefined): Response | undefined {
  if (token === undefined) return undefined;
  const given = request.headers.get("Authorization") ?? "";
  if (isSame(given, `Bearer ${token}`)) return undefined;
  return failure("Unauthorized: send `Authorization: Bearer` with the server's token", {
    status: 401,
    code: -32000,
    headers: { "WWW-Authenticate": 'Bearer realm="iac-code"' },
  });
}

/** True for `localhost`, 127.0.0.0/8 and ::1, with or without brackets. */
export function isLoopbackName(name: string): boolean {
  const bare = name.toLowerCase().replace(/^\[|\]$/g, "");
  return bare === "localhost" || bare === "::1" || /^127(\.\d{1,3}){3}$/.test(bare);
}

export type Binding = {
  readonly hostname: string;
  readonly socket?: string;
  readonly token?: string;
  readonly insecure: boolean;
};

/** Throws a readable Error when the server would be open to the network without a token. */
export function assertMayBind({ hostname, socket, token, insecure }: Binding): void {
  if (socket !== undefined || token !== undefined || insecure || isLoopbackName(hostname)) return;
  throw new Error(
    `Cannot listen on ${hostname} without a token: anyone who reaches it could run commands. ` +
      "Set IACCODE_ACP_HTTP_TOKEN, keep --host 127.0.0.1, or pass --insecure",
  );
}
