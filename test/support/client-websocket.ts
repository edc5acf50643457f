// The client's side of WebSocket: a text frame a message.

import type { Json, Wire, WireListener } from "./acp-client.ts";
import type { AgentProcess } from "./agent-process.ts";

export async function openWebSocketWire(
  { url, token }: AgentProcess,
  { onMessage, onEnd }: WireListener,
): Promise<Wire> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const socket = new WebSocket(url.replace(/^http/, "ws"), { headers });
  const closed = new Promise<void>((resolve) => {
    socket.addEventListener("close", () => {
      onEnd();
      resolve();
    });
  });
  socket.addEventListener("message", ({ data }) => onMessage(JSON.parse(String(data)) as Json));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error("The WebSocket did not open")));
  });
  return {
    send: async (message) =>
      socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await closed;
    },
  };
}
