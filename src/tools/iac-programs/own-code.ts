// Linters that would run code of the project they look at: rules in Python, plug-ins, Ansible modules. Validating asks
// nobody, so such a linter is not run; a person can allow it in a command.

import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

type Hazard = {
  /** Names in the folder where the linter starts. */
  readonly names: RegExp;
  /** What such a file must hold; absent: that it is there is enough. */
  readonly text?: RegExp;
};

/** https://github.com/aws-cloudformation/cfn-lint#config-file and the like of the others. */
const HAZARDS: Readonly<Record<string, readonly Hazard[]>> = {
  "cfn-lint": [{ names: /^\.cfnlintrc(?:\.ya?ml)?$/, text: /append[_-]rules/ }],
  tflint: [{ names: /^\.tflint\.hcl$/, text: /\bplugin_dir\b/ }, { names: /^\.tflint\.d$/ }],
  checkov: [{ names: /^\.checkov\.ya?ml$/, text: /external[_-]checks/ }],
  "ansible-lint": [
    { names: /^(?:ansible\.cfg|library|module_utils|.*_plugins)$/ },
    { names: /^\.ansible-lint(?:\.ya?ml)?$/, text: /\brules_?dir/ },
  ],
};

/** Why `linter` does not start in `directory`; `undefined` when nothing there is code that it would run. */
export async function ownCodeOf(linter: string, directory: string): Promise<string | undefined> {
  const hazards = HAZARDS[linter] ?? [];
  if (hazards.length === 0) return undefined;
  for (const name of await namesIn(directory))
    for (const { names, text } of hazards)
      if (
        names.test(name) &&
        (text === undefined || text.test(await textOf(join(directory, name))))
      )
        return `${linter} would run code of the project (${name}); run it with bash, which asks`;
  return undefined;
}

const BROUGHT_PROVIDERS = ".terraform/providers/";

/**
 * Providers are programs. Those that `init` put there are the user's choice; those that stand in the repository itself
 * are its author's, and its lock file vouches for them. Without git the two cannot be told apart.
 */
export async function bringsProviders(directory: string): Promise<string | undefined> {
  for (let folder = directory; ; folder = dirname(folder)) {
    try {
      const index = await readFile(join(folder, ".git", "index"));
      return index.includes(BROUGHT_PROVIDERS)
        ? "the repository brings provider programs of its own (.terraform/providers is in git); run it with bash, which asks"
        : undefined;
    } catch {
      // No repository begins here; perhaps further up.
      if (dirname(folder) === folder) return undefined;
    }
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch {
    // Gone meanwhile: the linter will say so.
    return [];
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    // What we cannot read the linter cannot either.
    return "";
  }
}
