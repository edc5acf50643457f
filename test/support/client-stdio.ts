// The client's side of stdio: a line a message.

import type { Json, Wire, WireListener } from "./acp-client.ts";
import type { AgentProcess } from "./agent-process.ts";

export function openStdioWire({ child }: AgentProcess, { onMessage, onEnd }: WireListener): Wire {
  const read = async () => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of child.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onMessage(JSON.parse(line) as Json);
    }
    onEnd();
  };
  const reading = read();
  return {
    send: async (message) => {
      void child.stdin.write(
        `${typeof message === "string" ? message : JSON.stringify(message)}\n`,
      );
      await child.stdin.flush();
    },
    [Symbol.asyncDispose]: async () => {
      await child.stdin.end();
      await reading;
    },
  };
}
