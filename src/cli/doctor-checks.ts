// What doctor looks at, each check by itself: configuration, rights, store, model, project. Programs are in doctor-programs.ts.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { loadProjectConfig } from "../config/project.ts";
import type { HomePaths } from "../config/home.ts";
import { newSessionId } from "../lib/ids.ts";
import { parseRules } from "../permissions/rules.ts";
import type { OpenedCatalog } from "./open-catalog.ts";
import { openStore } from "./open-store.ts";
import { tryModel } from "./try-model.ts";

/** `broken` is something that is needed and does not work: exit 1. */
export type CheckState = "ok" | "note" | "warn" | "broken";
export type Check = { readonly state: CheckState; readonly what: string; readonly detail: string };

type Env = Readonly<Record<string, string | undefined>>;

/** Group and others. */
const OTHERS_BITS = 0o077;

export async function checkConfig({ config, warnings, errors }: OpenedCatalog): Promise<Check[]> {
  const what = "configuration";
  const { deny = [], ask = [], allow = [] } = config.permissions ?? {};
  const rules = parseRules({ deny, ask, allow });
  const broken = [...errors, ...rules.errors].map((detail): Check => ({
    state: "broken",
    what,
    detail: `${detail} (no turn runs until then)`,
  }));
  const odd = warnings.map((detail): Check => ({ state: "warn", what, detail }));
  if (broken.length + odd.length > 0) return [...broken, ...odd];
  const { configFile } = config.paths;
  const detail = (await Bun.file(configFile).exists())
    ? configFile
    : `no ${configFile}, so everything is at its default`;
  return [{ state: "ok", what, detail }];
}

export async function checkProject(cwd: string): Promise<Check[]> {
  const { warnings, tighten } = await loadProjectConfig(cwd);
  const rules = parseRules(tighten);
  const what = "project";
  return [...warnings, ...rules.errors].map((detail) => ({ state: "warn", what, detail }));
}

/** Keys and conversations are for their owner only. */
export async function checkRights(paths: HomePaths): Promise<Check[]> {
  const wanted = [
    [paths.home, "700"],
    [paths.credentialsFile, "600"],
    [paths.sessionsDb, "600"],
  ] as const;
  const found = await Promise.all(
    wanted.map(async ([path, mode]): Promise<Check[]> => {
      const info = await stat(path).catch(() => undefined);
      // What does not exist yet is made with the right mode when it is needed.
      if (info === undefined || (info.mode & OTHERS_BITS) === 0) return [];
      return [
        {
          state: "warn",
          what: "rights",
          detail: `${path} is open to other users; run: chmod ${mode} ${path}`,
        },
      ];
    }),
  );
  const faults = found.flat();
  return faults.length > 0 ? faults : [{ state: "ok", what: "rights", detail: paths.home }];
}

/** Writes and removes a session that is never listed. */
export async function checkStore(env: Env, paths: HomePaths): Promise<Check> {
  const what = "store";
  try {
    await using store = await openStore(env);
    const id = newSessionId();
    const now = Date.now();
    await store.createSession({
      id,
      cwd: "/",
      realCwd: "/",
      additionalDirectories: [],
      createdAt: now,
      updatedAt: now,
      prompts: 0,
      modeId: "default",
    });
    await store.deleteSession(id);
    return { state: "ok", what, detail: `${paths.sessionsDb} can be written` };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      state: "broken",
      what,
      detail: `${paths.sessionsDb} cannot be used: ${why}. Set IACCODE_HOME to a folder of yours, or mend its rights.`,
    };
  }
}

/** One request to the model that a new session would use. */
export async function checkModel(
  { catalog }: OpenedCatalog,
  signal: AbortSignal,
): Promise<Check[]> {
  const what = "model";
  const problems = catalog.problems();
  const missing = catalog.missing();
  if (missing !== undefined) {
    const rest = problems.filter((problem) => problem !== missing);
    const state = problems.length > 0 ? "broken" : "note";
    const detail = problems.length > 0 ? missing : `the offline reviewer answers. ${missing}`;
    return [
      { state, what, detail },
      ...rest.map((problem): Check => ({ state: "warn", what, detail: problem })),
    ];
  }
  const option = catalog.fallback();
  const trial = await tryModel(await catalog.open(option), option.model, {
    signal,
    onNotice: (text) => void process.stderr.write(`${text}\n`),
  });
  const first: Check = trial.ok
    ? {
        state: "ok",
        what,
        detail: `${option.id} answered in ${trial.ms} ms, ${option.description ?? ""}`,
      }
    : { state: "broken", what, detail: trial.message };
  return [first, ...problems.map((detail): Check => ({ state: "warn", what, detail }))];
}

export async function checkInstructions(cwd: string): Promise<Check[]> {
  const file = join(cwd, "AGENTS.md");
  return (await Bun.file(file).exists())
    ? [{ state: "ok", what: "project", detail: `${file} is told to the model` }]
    : [];
}
