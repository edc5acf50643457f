// Where the program keeps its files. Paths only; a folder is made when something is first written to it.

import { chmod, mkdir } from "node:fs/promises";
import { homedir, tmpdir, userInfo } from "node:os";
import { join, resolve } from "node:path";

export type Env = Readonly<Record<string, string | undefined>>;

export type HomePaths = {
  /** `$IACCODE_HOME`, else `~/.iac-code`. Absolute. */
  readonly home: string;
  readonly configFile: string;
  readonly credentialsFile: string;
  /** The database, and beside it a folder for each session's command output. */
  readonly sessionsFolder: string;
  readonly sessionsDb: string;
};

/** The user's own folder, or `undefined` where the system knows none. */
function userFolder(env: Env): string | undefined {
  const named = env["HOME"] ?? env["USERPROFILE"];
  if (named !== undefined && named !== "") return named;
  try {
    return homedir() || undefined;
  } catch {
    // A user id without an entry in the user database, as in many containers.
    return undefined;
  }
}

/** Without any home of the user's, a folder of the temporary directory that is this user's alone. */
function fallbackHome(): string {
  let owner = "user";
  try {
    owner = String(userInfo().uid);
  } catch {
    // As above; one such user at a time on a machine is what containers have.
  }
  return join(tmpdir(), `iac-code-${owner}`);
}

/** Never fails: without HOME the files go to a folder of the temporary directory. */
export function homePaths(env: Env): HomePaths {
  const folder = userFolder(env);
  const asked = env["IACCODE_HOME"]?.trim() ?? "";
  const expanded =
    folder !== undefined && /^~(?=\/|$)/.test(asked) ? folder + asked.slice(1) : asked;
  const usual = folder === undefined ? fallbackHome() : join(folder, ".iac-code");
  const home = resolve(expanded === "" ? usual : expanded);
  return {
    home,
    configFile: join(home, "config.json"),
    credentialsFile: join(home, "credentials.json"),
    sessionsFolder: join(home, "sessions"),
    sessionsDb: join(home, "sessions", "sessions.db"),
  };
}

/** Makes the folder, for its owner only (0700). Rejects in words when that is not possible. */
export async function ensureHome(paths: HomePaths): Promise<void> {
  try {
    await mkdir(paths.home, { recursive: true, mode: 0o700 });
    await chmod(paths.home, 0o700);
  } catch (cause) {
    throw new Error(`The folder ${paths.home} cannot be made or used; set IACCODE_HOME`, { cause });
  }
}
