// docs/http.md from the rows that the tests send. `bun test/support/http-docs.ts` writes it; a test says when it is old.

import { join } from "node:path";
import { HTTP_FLAGS } from "../../src/transports/http-flags.ts";
import { HTTP_DEFAULTS } from "../../src/transports/http-options.ts";
import { HTTP_ANSWERS } from "./http-answers.ts";

export const HTTP_DOCS_PATH = join(import.meta.dir, "..", "..", "docs", "http.md");

/** The whole page. */
export function renderHttpDocs(): string {
  const { ringEvents, ringBytes, maxUnsentBytes } = HTTP_DEFAULTS.outbox;
  const mib = (bytes: number) => `${bytes / 1024 ** 2} MiB`;
  return [
    "# ACP over HTTP",
    "",
    "<!-- Made by `bun test/support/http-docs.ts` from test/support/http-answers.ts; edit the rows, not this page. -->",
    "",
    "`iac-code acp --transport http` serves one path, `/acp`. A client POSTs JSON-RPC messages and reads the answers from an",
    "event stream, or does both over a WebSocket. Every row below is sent to the program by a test.",
    "",
    "| request | status | answer |",
    "|---|---|---|",
    ...HTTP_ANSWERS.map(({ request, status, answer }) => `| ${request} | ${status} | ${answer} |`),
    "",
    "## The stream",
    "",
    "```text",
    ": connected",
    "",
    "event: message",
    "id: 12",
    "retry: 3000",
    'data: {"jsonrpc":"2.0","method":"session/update","params":{…}}',
    "```",
    "",
    `- Ids grow for the life of the connection. \`Last-Event-ID\` replays exactly what came after it, from the last ${ringEvents.toLocaleString("en")} events or ${mib(ringBytes)}.`,
    "- Where that cannot be done (too old, foreign, malformed) the first event is `resync`: its data names the oldest event still held. Load the sessions again; nothing is left out in silence.",
    `- \`: ping\` every ${HTTP_DEFAULTS.pingMs / 1000} s. A newer GET replaces the older stream of its kind, which ends.`,
    `- A client that leaves more than ${mib(maxUnsentBytes)} unread is given up; its turn goes on and can be loaded.`,
    "- A stream that breaks may come back within `--grace`; open questions are asked again then, and denied when the grace ends.",
    `- A connection that nobody uses ends after ${HTTP_DEFAULTS.idleMs / 60_000} min.`,
    "",
    "## Flags",
    "",
    "| flag | default | |",
    "|---|---|---|",
    ...Object.entries(HTTP_FLAGS).map(
      ([name, flag]) =>
        `| \`--${name}\` | ${"default" in flag && flag.default !== false ? `\`${flag.default}\`` : ""} | ${flag.help} |`,
    ),
    "",
    "`IACCODE_ACP_HTTP_TOKEN` is the token that every request but `/health` must bring as `Authorization: Bearer …`.",
    "Without it the program listens on loopback only, unless `--insecure` says otherwise.",
    "",
  ].join("\n");
}

if (import.meta.main) await Bun.write(HTTP_DOCS_PATH, renderHttpDocs());
