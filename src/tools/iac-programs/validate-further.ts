// `validate` stops looking inside a block at its first undeclared reference. Here the missing names are declared in a
// copy of the module made of links, and it runs again: what was hidden comes out, the project is not touched.

import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** As a program printed it. */
export type Diagnostic = {
  readonly severity: string;
  readonly summary: string;
  readonly detail?: string | undefined;
  readonly range?:
    | {
        readonly filename: string;
        readonly start: { readonly line: number; readonly column: number };
      }
    | undefined;
};

/** Each round can uncover references of its own. */
const MAX_ROUNDS = 4;
const STAND_INS = "iac-code-stand-ins.tf";
/** Entries of one folder that are linked. */
const MAX_LINKS = 10_000;

const UNDECLARED: readonly {
  readonly detail: RegExp;
  readonly declare: (name: string, label: string) => string;
}[] = [
  {
    detail: /^An input variable with the name "([\w-]+)" has not been declared/,
    declare: (name) => `variable "${name}" {\n  type = any\n}\n`,
  },
  {
    detail: /^A local value with the name "([\w-]+)" has not been declared/,
    declare: (name) => `locals {\n  ${name} = null\n}\n`,
  },
  {
    detail: /^A managed resource "([\w-]+)" "([\w-]+)" has not been declared/,
    declare: (type, name) => `resource "${type}" "${name}" {}\n`,
  },
  {
    detail: /^A data resource "([\w-]+)" "([\w-]+)" has not been declared/,
    declare: (type, name) => `data "${type}" "${name}" {}\n`,
  },
];

/** Declarations for every name that the diagnostics call undeclared. */
export function standInsFor(diagnostics: readonly Diagnostic[]): string[] {
  const texts = diagnostics.flatMap(({ detail = "" }) =>
    UNDECLARED.flatMap(({ detail: pattern, declare }) => {
      const [matched, first, second = ""] = pattern.exec(detail) ?? [];
      return matched === undefined || first === undefined ? [] : [declare(first, second)];
    }),
  );
  return [...new Set(texts)];
}

/**
 * What `run` (a `validate` in the given folder) finds beyond `first` once missing names are declared. Never rejects for
 * the disk's sake: without a copy there is nothing further.
 */
export async function validateFurther(
  first: readonly Diagnostic[],
  { root, directory }: { readonly root: string; readonly directory: string },
  run: (folder: string) => Promise<readonly Diagnostic[] | undefined>,
): Promise<Diagnostic[]> {
  const standIns = new Set(standInsFor(first));
  if (standIns.size === 0) return [];
  const copy = await mkdtemp(join(tmpdir(), "iac-code-validate-"));
  try {
    const folder = await linkedCopy(root, directory, copy);
    const found: Diagnostic[] = [];
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      await Bun.write(join(folder, STAND_INS), [...standIns].join("\n"));
      const own = (await run(folder))?.filter(({ range }) => range?.filename !== STAND_INS);
      if (own === undefined) break;
      found.push(...own);
      const before = standIns.size;
      for (const text of standInsFor(own)) standIns.add(text);
      if (standIns.size === before) break;
    }
    return beyond(first, found);
  } catch {
    // No room for links, or none allowed: what the first run said stands alone.
    return [];
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** A tree in which only the folders down to the module are real; returns the module's. */
async function linkedCopy(root: string, directory: string, copy: string): Promise<string> {
  let from = root;
  let to = copy;
  for (const part of directory === "" ? [] : directory.split("/")) {
    await linkAll(from, to, part);
    from = join(from, part);
    to = join(to, part);
    await mkdir(to);
  }
  await linkAll(from, to, undefined);
  return to;
}

async function linkAll(from: string, to: string, except: string | undefined): Promise<void> {
  // What is written to the copy must never be a link into the project.
  const names = (await readdir(from)).filter((name) => name !== except && name !== STAND_INS);
  for (const name of names.slice(0, MAX_LINKS)) await symlink(join(from, name), join(to, name));
}

/** Once each, and without what only the copy makes wrong. */
function beyond(first: readonly Diagnostic[], found: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Set(first.map(keyOf));
  return found.filter((diagnostic) => {
    const key = keyOf(diagnostic);
    if (
      diagnostic.range === undefined ||
      /^Unreadable module|^Module not installed/.test(diagnostic.summary)
    )
      return false;
    return !seen.has(key) && seen.add(key);
  });
}

const keyOf = ({ summary, detail, range }: Diagnostic): string =>
  JSON.stringify([summary, detail, range?.filename, range?.start.line, range?.start.column]);
