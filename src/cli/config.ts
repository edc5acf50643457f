// iac-code config: the JSON Schema of config.json, and where the file is.

import { homePaths } from "../config/home.ts";
import { configJsonSchema } from "../config/schema.ts";
import { EXIT, UsageError, defineCli, textOf } from "./command.ts";

const ACTIONS: Readonly<Record<string, () => string>> = {
  schema: () => JSON.stringify(configJsonSchema(), null, 2),
  path: () => homePaths(process.env).configFile,
};

export const config = defineCli({
  name: "config",
  summary: "print the JSON Schema of config.json, or where it is",
  details: "schema · path",
  args: {
    action: {
      type: "positional",
      required: false,
      description: Object.keys(ACTIONS).join(", "),
      default: "schema",
    },
  },
  run: async (args) => {
    const name = textOf(args, "action") ?? "";
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined)
      throw new UsageError(`The action must be one of ${Object.keys(ACTIONS).join(", ")}`);
    process.stdout.write(`${action()}\n`);
    return EXIT.ok;
  },
});
