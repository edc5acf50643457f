// Builds the standalone binary dist/iac-code, then runs it: a build that exits 0 may still have written a broken file.
// Flags: no autoload of the current folder's bunfig.toml and .env (code execution in an untrusted project), bytecode
// with ESM (anything else breaks import.meta).

import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { version } from "./package.json";

const ROOT = import.meta.dir;
const OUTPUT = join(ROOT, "dist/iac-code");

/** Arguments of `bun build` for one target (the machine's own by default). */
export function buildArgs(output: string, target?: string): string[] {
  return [
    "build",
    "--compile",
    "--minify",
    "--bytecode",
    "--format=esm",
    "--splitting",
    "--sourcemap",
    "--no-compile-autoload-bunfig",
    "--no-compile-autoload-dotenv",
    ...(target === undefined ? [] : [`--target=${target}`]),
    "src/main.ts",
    `--outfile=${output}`,
  ];
}

async function run(
  command: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const child = Bun.spawn([...command], {
    ...options,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${err}${out}`);
  return out;
}

/** Speaks ACP with the binary over a pipe: handshake, session, one prompt of the offline model. */
async function tryPrompt(binary: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "iac-code-build-"));
  const child = Bun.spawn([binary, "acp"], {
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, OLLAMA_HOST: "127.0.0.1:9" },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const send = async (message: object): Promise<void> => {
    await child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    await child.stdin.flush();
  };
  try {
    await send({ id: 1, method: "initialize", params: { protocolVersion: 1 } });
    await send({ id: 2, method: "session/new", params: { cwd: home } });
    let rest = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const message = JSON.parse(line);
        if (message.id === 2)
          await send({
            id: 3,
            method: "session/prompt",
            params: {
              sessionId: message.result.sessionId,
              prompt: [{ type: "text", text: "hello" }],
            },
          });
        if (message.id === 3 && message.result?.stopReason !== "end_turn")
          throw new Error(`The built binary answered a prompt with ${line}`);
        if (message.id === 3) await child.stdin.end();
      }
    }
    const code = await child.exited;
    if (code !== 0) throw new Error(`The built binary ended with ${code} after stdin ended`);
  } finally {
    child.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Compiles for `target` (a name of `bun build --target`), the machine's own by default. Rejects with what Bun said. */
export async function compile(output: string, target?: string): Promise<void> {
  mkdirSync(dirname(output), { recursive: true });
  await run([process.execPath, ...buildArgs(output, target)], {
    cwd: ROOT,
    env: { ...process.env } as Record<string, string>,
  });
}

/** Runs what was built for this machine. Rejects when `--version` or a prompt over a pipe does not work. */
export async function tryBinary(output: string): Promise<void> {
  const printed = await run([output, "--version"], { cwd: tmpdir(), env: {} });
  if (printed.trim() !== version)
    throw new Error(`The built binary prints ${JSON.stringify(printed)} for --version`);
  await tryPrompt(output);
}

if (import.meta.main) {
  await compile(OUTPUT);
  await tryBinary(OUTPUT);
  const megabytes = (statSync(OUTPUT).size / 1_000_000).toFixed(1);
  console.log(`dist/iac-code ${version}: ${megabytes} MB, --version and a prompt over a pipe work`);
}
