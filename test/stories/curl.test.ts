// The walk-through of the user's own document with curl, word for word but for port, directory and session id, with and
// without a token.

import { expect, test } from "bun:test";
import { fakeModel, text } from "../support/fake-model.ts";
import { spawnAgent } from "../support/agent-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const hasCurl = Bun.which("curl") !== null;

/** `AUTH` stands where a token's header goes. The stream's output is read until the named text is in it. */
const SCRIPT = `
set -eu
await() { for _ in $(seq 1 200); do grep -q "$1" stream.txt && return 0; sleep 0.05; done; echo "never saw $1"; cat stream.txt; return 1; }

CONN_ID=$(curl -s -D - -X POST $URL \\
  -H "Content-Type: application/json" $AUTH \\
  -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"capabilities":{},"clientInfo":{"name":"curl","version":"1.0"}}}' \\
  | grep -i 'acp-connection-id' | awk '{print $2}' | tr -d '\\r')
echo "Connection ID: $CONN_ID"

curl -sN $URL $AUTH \\
  -H "Acp-Connection-Id: $CONN_ID" > stream.txt &
SSE_PID=$!

curl -s -o /dev/null -w 'new %{http_code}\\n' -X POST $URL \\
  -H "Content-Type: application/json" $AUTH \\
  -H "Acp-Connection-Id: $CONN_ID" \\
  -d '{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"'"$DIR"'"}}'
await '"id":2'
SESSION=$(grep -o 'sess_[0-9a-f]*' stream.txt | head -1)

curl -s -o /dev/null -w 'prompt %{http_code}\\n' -X POST $URL \\
  -H "Content-Type: application/json" $AUTH \\
  -H "Acp-Connection-Id: $CONN_ID" \\
  -d '{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"'"$SESSION"'","prompt":[{"type":"text","text":"Hello"}]}}'
await '"stopReason":"end_turn"'

curl -s -o /dev/null -w 'delete %{http_code}\\n' -X DELETE $URL $AUTH \\
  -H "Acp-Connection-Id: $CONN_ID"
kill $SSE_PID 2>/dev/null || true
wait $SSE_PID 2>/dev/null || true
cat stream.txt
`;

async function walk(token: string | undefined): Promise<string> {
  await using project = await tempDir();
  await using model = await fakeModel([text("Hello from the model.", { deltas: 1 })]);
  const env = token === undefined ? model.env() : { ...model.env(), IACCODE_ACP_HTTP_TOKEN: token };
  await using server = await spawnAgent("http", { env });
  const script =
    token === undefined
      ? SCRIPT.replaceAll("$AUTH", "")
      : SCRIPT.replaceAll("$AUTH", '-H "Authorization: Bearer $TOKEN"');
  const url = server.url.replace("127.0.0.1", "localhost");
  const child = Bun.spawn(["bash", "-c", script], {
    cwd: project.path,
    env: { PATH: process.env["PATH"] ?? "", URL: url, DIR: project.path, TOKEN: token ?? "" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  expect([code, err]).toEqual([0, ""]);
  return out;
}

for (const token of [undefined, "your-secret-token"]) {
  test.skipIf(!hasCurl)(
    `the documented curl walk-through works ${token === undefined ? "without" : "with"} a token (needs curl)`,
    async () => {
      const out = await walk(token);
      expect(out).toMatch(/^Connection ID: [0-9a-f-]{36}$/m);
      expect(out).toMatch(/^new 202\nprompt 202\ndelete 200$/m);
      expect(out).toMatch(/^event: message$/m);
      expect(out).toMatch(/^id: \S+$/m);
      expect(out).toMatch(/^retry: \d+$/m);
      expect(out).toContain("Hello from the model.");
    },
  );
}

test("with a token set, a request without or with a wrong one is 401", async () => {
  await using server = await spawnAgent("http", { env: { IACCODE_ACP_HTTP_TOKEN: "right" } });
  for (const headers of [
    {},
    { Authorization: "Bearer wrong" },
    { Authorization: "right" },
  ] as Record<string, string>[]) {
    for (const method of ["POST", "GET", "DELETE"]) {
      const response = await fetch(server.url, { method, headers });
      expect([method, response.status, response.headers.has("www-authenticate")]).toEqual([
        method,
        401,
        true,
      ]);
    }
  }
});
