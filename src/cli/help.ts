// Help texts, to stdout: they are what was asked for.

import { renderUsage } from "citty";
import { VERSION } from "../lib/version.ts";
import { commands } from "./all.ts";
import type { CliCommand } from "./command.ts";

export async function commandHelp({ name, summary, args, details }: CliCommand): Promise<string> {
  const usage = await renderUsage({
    meta: { name: `iac-code ${name}`, description: summary },
    args,
  });
  return details === undefined ? usage : `${usage}\n${details}\n`;
}

export async function mainHelp(): Promise<string> {
  const rows: string[] = [];
  for (const load of Object.values(commands)) {
    const { name, summary } = await load();
    rows.push(`  ${name.padEnd(10)} ${summary}`);
  }
  return [
    `iac-code ${VERSION} – an AI agent for infrastructure as code, behind the Agent Client Protocol`,
    "",
    "Usage: iac-code <command> [options]",
    "",
    ...rows,
    "",
    "  --version  print the version",
    "  --help     print this; `iac-code <command> --help` tells more",
    "",
  ].join("\n");
}
