// iac-code logout: forgets keys that login stored.

import { forgetCredentials } from "../config/credentials.ts";
import { loadConfig } from "../config/load.ts";
import { resolveEndpoints } from "../config/models.ts";
import { EXIT, defineCli, textOf } from "./command.ts";

export const logout = defineCli({
  name: "logout",
  summary: "forget the keys that login stored",
  args: {
    provider: {
      type: "positional",
      required: false,
      description: "forget only the key of this provider (default: all)",
    },
  },
  run: async (args) => {
    const provider = textOf(args, "provider");
    const { config } = await loadConfig({ env: process.env });
    const removed = await forgetCredentials(config.paths, provider);
    if (removed.length === 0) {
      const whose = provider === undefined ? "" : ` for ${provider}`;
      process.stderr.write(`No key is stored${whose}.\n`);
      return provider === undefined ? EXIT.ok : EXIT.error;
    }
    process.stdout.write(`Forgotten: ${removed.join(", ")}\n`);
    const { config: left } = await loadConfig({ env: process.env });
    const others = resolveEndpoints(left, process.env).endpoints.filter(({ provider: id }) =>
      removed.includes(id),
    );
    for (const { title, source } of others)
      process.stderr.write(`${title} can still be used: its key comes from ${source}.\n`);
    return EXIT.ok;
  },
});
