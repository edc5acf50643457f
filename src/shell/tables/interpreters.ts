// Programs that run code of their own language or change data by it: unknown, but for asking their version.

import { operandWords } from "../invocation.ts";
import type { CliTable } from "./table.ts";
import { list } from "./verbs.ts";

const VERSION = /^(--version|-V|-v|--help|-h|version)$/;

export const interpreters: CliTable = {
  name: "interpreters",
  programs: list(
    "python python2 python3 python3.10 python3.11 python3.12 python3.13 node nodejs deno ruby irb perl php lua java javac groovy scala Rscript julia elixir tsx ts-node fish pwsh powershell cmd osascript expect tclsh vim vi nvim nano emacs ed ex gdb screen tmux at batch crontab psql mysql mariadb mongo mongosh mongodump redis-cli sqlite3 clickhouse-client pg_dump pg_restore influx cqlsh",
  ),
  otherwise: { class: "unknown", reason: "runs a program or statements of its own language" },
  inspect: (call, verdict) => {
    const [first] = call.words;
    // One word only: `node -v x.js` would be another matter.
    const asks =
      call.words.length === 1 &&
      first?.text !== undefined &&
      VERSION.test(first.text) &&
      !(
        first.text === "-v" &&
        /^(perl|python2?)/.test(call.program) === false &&
        /^(vi|vim|ed|ex|psql|screen)$/.test(call.program)
      );
    const { reason: _reason, ...rest } = verdict;
    if (asks) return { ...rest, class: "read" };
    return operandWords(call).length === 0 && call.words.length === 0
      ? { ...verdict, reason: "starts an interactive program" }
      : verdict;
  },
};
