// iac-code sessions: the stored sessions, listed, shown, exported and deleted.

import { join } from "node:path";
import { homePaths } from "../config/home.ts";
import { toSessionId } from "../lib/ids.ts";
import type { Store } from "../stores/store.ts";
import { removeToolFiles } from "../tools/tool-session.ts";
import { EXIT, UsageError, defineCli, textOf } from "./command.ts";
import { openStore } from "./open-store.ts";
import { columnsOf } from "./width.ts";
import { toMarkdown, toPermissionTable, toSessionTable } from "./session-text.ts";

const ACTIONS = ["list", "show", "export", "delete"] as const;
const LIST_LIMIT = 50;

async function mustFind(
  store: Store,
  id: string | undefined,
): Promise<NonNullable<Awaited<ReturnType<Store["getSession"]>>>> {
  if (id === undefined) throw new UsageError("Name a session: see iac-code sessions list");
  const record = await store.getSession(toSessionId(id));
  if (record === undefined)
    throw new Error(`There is no session ${id}; iac-code sessions list shows them`);
  return record;
}

async function list(store: Store, cwd: string | undefined): Promise<string> {
  const page = await store.listSessions({
    limit: LIST_LIMIT,
    ...(cwd === undefined ? {} : { cwd }),
  });
  const columns = process.stdout.isTTY ? columnsOf(process.stdout) : undefined;
  return page.ok ? toSessionTable(page.sessions, page.nextCursor !== undefined, columns) : "";
}

export const sessions = defineCli({
  name: "sessions",
  summary: "list, show, export or delete stored sessions",
  details:
    "list [--cwd DIR] · show ID [--permissions] · export ID [--format markdown|json] · delete ID",
  args: {
    action: {
      type: "positional",
      required: false,
      description: ACTIONS.join(", "),
      default: "list",
    },
    id: { type: "positional", required: false, description: "the session's id" },
    cwd: { type: "string", valueHint: "DIR", description: "list only sessions of this directory" },
    format: {
      type: "enum",
      options: ["markdown", "json"],
      default: "markdown",
      description: "format of export",
    },
    permissions: {
      type: "boolean",
      default: false,
      description: "show what was asked and decided",
    },
  },
  run: async (args) => {
    const action = ACTIONS.find((one) => one === textOf(args, "action"));
    if (action === undefined)
      throw new UsageError(`The action must be one of ${ACTIONS.join(", ")}`);
    await using store = await openStore(process.env);
    if (action === "list") {
      process.stdout.write(await list(store, textOf(args, "cwd")));
      return EXIT.ok;
    }
    const record = await mustFind(store, textOf(args, "id"));
    if (action === "delete") {
      await store.deleteSession(record.id);
      await removeToolFiles(join(homePaths(process.env).sessionsFolder, record.id));
      process.stderr.write(`Deleted ${record.id}\n`);
      return EXIT.ok;
    }
    const entries = await store.entries(record.id);
    const isJson = action === "export" && textOf(args, "format") === "json";
    const text = isJson
      ? `${JSON.stringify({ session: record, entries }, null, 2)}\n`
      : args["permissions"] === true
        ? toPermissionTable(entries)
        : toMarkdown(record, entries);
    process.stdout.write(text);
    return EXIT.ok;
  },
});
