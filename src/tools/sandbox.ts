// A cage for commands, by bubblewrap where it is installed and works (Linux): the system read-only, the project, the
// temporary folders and the session's outputs writable, no network for what only reads.
// https://github.com/containers/bubblewrap

import { tmpdir } from "node:os";
import { runToEnd } from "../lib/process-run.ts";

export const SANDBOX_MODES = ["auto", "off", "require"] as const;
/** `auto`: what only reads, where it works. `require`: every command, and none where it does not work. */
export type SandboxMode = (typeof SANDBOX_MODES)[number];

export type Sandbox =
  | { readonly ok: true; /** Absolute path of bwrap. */ readonly program: string }
  /** `reason` completes "No sandbox: ". */
  | { readonly ok: false; readonly reason: string };

const PROBE_MS = 3_000;
const MAX_PROBE_BYTES = 4_096;
const MAX_REASON_LENGTH = 200;

/** Whether commands can be caged here, found out by trying. Never rejects. */
export async function probeSandbox(): Promise<Sandbox> {
  if (process.platform !== "linux") return { ok: false, reason: "it exists on Linux only" };
  const program = Bun.which("bwrap");
  if (program === null) return { ok: false, reason: "bubblewrap (bwrap) is not installed" };
  const argv = sandboxArgv(program, { cwd: "/", writable: [], hasNetwork: false });
  const { end, stderr } = await runToEnd([...argv, "true"], {
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    signal: new AbortController().signal,
    timeoutMs: PROBE_MS,
    maxBytes: MAX_PROBE_BYTES,
  });
  if (end.type === "exited" && end.exit.exitCode === 0) return { ok: true, program };
  const said = Buffer.from(stderr).toString().trim().slice(0, MAX_REASON_LENGTH);
  return { ok: false, reason: `bubblewrap does not work here: ${said === "" ? end.type : said}` };
}

export type Cage = {
  readonly cwd: string;
  /** Real paths beside the temporary folders; those that do not exist are left out. */
  readonly writable: readonly string[];
  readonly hasNetwork: boolean;
};

/** What stands before a command's own words. */
export function sandboxArgv(program: string, cage: Cage): readonly string[] {
  const writable = ["/tmp", "/var/tmp", tmpdir(), ...cage.writable];
  const binds = [...new Set(writable)].flatMap((path) => ["--bind-try", path, path]);
  const network = cage.hasNetwork ? [] : ["--unshare-net"];
  // A bind of the whole has no devices; a command needs /dev/null at least.
  const system = ["--ro-bind", "/", "/", "--dev", "/dev"];
  return [program, ...system, ...binds, ...network, "--chdir", cage.cwd, "--"];
}
