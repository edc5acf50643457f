// iac-code doctor: what works here. One line a check; exit 1 when something that is needed is broken.

import { VERSION } from "../lib/version.ts";
import { EXIT, defineCli } from "./command.ts";
import {
  type Check,
  type CheckState,
  checkConfig,
  checkInstructions,
  checkModel,
  checkProject,
  checkRights,
  checkStore,
} from "./doctor-checks.ts";
import { checkBinary, checkPrograms } from "./doctor-programs.ts";
import { openCatalog } from "./open-catalog.ts";
import { type Paint, createPaint } from "./paint.ts";
import { toTable } from "./table.ts";

const MARKS: Readonly<Record<CheckState, string>> = {
  ok: "ok",
  note: "-",
  warn: "warn",
  broken: "BROKEN",
};
const COLOURS: Readonly<Record<CheckState, keyof Paint>> = {
  ok: "green",
  note: "dim",
  warn: "yellow",
  broken: "red",
};

export const doctor = defineCli({
  name: "doctor",
  summary: "check configuration, model, store and installed programs",
  details:
    "Makes one small request to the model. Exit 1 when something that is needed is broken; a missing program never is.",
  args: { json: { type: "boolean", default: false, description: "write JSON" } },
  run: async (args, signal) => {
    const { env } = process;
    const cwd = process.cwd();
    const opened = await openCatalog(env, signal);
    const { paths, iac } = opened.config;
    const [store, model, programs, project, instructions] = await Promise.all([
      checkStore(env, paths),
      checkModel(opened, signal),
      checkPrograms(env, signal),
      checkProject(cwd),
      checkInstructions(cwd),
    ]);
    const checks: readonly Check[] = [
      {
        state: "ok",
        what: "iac-code",
        detail: `${VERSION}, Bun ${Bun.version}, ${process.platform} ${process.arch}`,
      },
      ...(await checkConfig(opened)),
      ...project,
      ...instructions,
      // After the store was opened, which makes the folder.
      ...(await checkRights(paths)),
      store,
      ...model,
      ...checkBinary(iac?.binary, env),
      ...programs,
    ];
    if (args["json"] === true) process.stdout.write(`${JSON.stringify(checks, null, 2)}\n`);
    else {
      const paint = createPaint(process.stdout);
      const rows = checks.map(({ state, what, detail }) => [
        paint[COLOURS[state]](MARKS[state]),
        what,
        detail,
      ]);
      process.stdout.write(toTable(rows));
    }
    const isBroken = checks.some(({ state }) => state === "broken");
    if (signal.aborted) return EXIT.cancelled;
    return isBroken ? EXIT.error : EXIT.ok;
  },
});
