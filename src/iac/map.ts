// The project index: reads a tree once and says what is declared where. Queries and the brief stand in map/.

import { join } from "node:path";
import { count } from "../lib/text.ts";
import { parseHcl } from "./hcl/parse.ts";
import { parseHclJson } from "./hcl/json.ts";
import { callsOf, declarationsOf, providersOf, settingsOf } from "./map/declarations.ts";
import {
  directoryOf,
  type Declaration,
  type OtherFile,
  type ProjectIndex,
  type TerraformFile,
  type TerraformModule,
} from "./map/project-index.ts";
import { readFiles, type SourceText } from "./map/read-files.ts";
import {
  chartDirectories,
  isTerraform,
  isVariableFile,
  recogniseOther,
  terraformRole,
} from "./map/recognise.ts";
import { DEFAULT_BUDGET, walkTree, workspacesIn, type Budget, type Walk } from "./map/walk.ts";

export type IndexOptions = {
  readonly budget?: Partial<Budget>;
  /** True for a real path that must not be read; such files are counted in the notices. */
  readonly isDenied?: (realPath: string) => boolean;
};

/**
 * Indexes the tree below `root` (absolute and real). Rejects only when `signal` aborts: what cannot be read or is over the
 * budget is named in `notices`.
 */
export async function indexProject(
  root: string,
  signal: AbortSignal,
  { budget = {}, isDenied = () => false }: IndexOptions = {},
): Promise<ProjectIndex> {
  const limits = { ...DEFAULT_BUDGET, ...budget };
  const walk = await walkTree(root, signal, limits);
  const denied = walk.files.filter((path) =>
    isDenied(walk.realPaths.get(path) ?? join(root, path)),
  );
  const isLeftOut = new Set(denied);
  const allowed = walk.files.filter((path) => !isLeftOut.has(path));
  const { texts, unread, notices, isCut } = await readFiles(root, allowed, signal, limits);
  const unknown = [...walk.unread, ...denied, ...unread];
  return {
    root,
    modules: modulesOf(parseAll(texts, signal), unknown, await workspacesOf(root, walk)),
    others: othersOf(texts),
    variableFiles: texts
      .filter(({ path }) => isVariableFile(path))
      .map(({ path, text }) => ({ path, text, hcl: parseHcl(text) })),
    unread: unknown,
    isCut: walk.isCut || isCut,
    notices: [
      ...walk.notices,
      ...notices,
      ...(denied.length === 0 ? [] : [`${count(denied.length, "file")} left out by a deny rule`]),
    ],
  };
}

function parseAll(texts: readonly SourceText[], signal: AbortSignal): TerraformFile[] {
  const terraform = texts.filter(({ path }) => isTerraform(path));
  const all = new Set(terraform.map(({ path }) => path));
  return terraform.map(({ path, text }) => {
    signal.throwIfAborted();
    const syntax = path.endsWith(".json") ? "json" : "hcl";
    const hcl = syntax === "json" ? parseHclJson(text) : parseHcl(text);
    return { path, text, hcl, syntax, role: terraformRole(path, all) };
  });
}

/** Module directory → its local workspaces. */
async function workspacesOf(
  root: string,
  { stateDirectories }: Walk,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = stateDirectories.map(
    async (path) => [directoryOf(path), await workspacesIn(root, path)] as const,
  );
  return new Map(await Promise.all(found));
}

function modulesOf(
  files: readonly TerraformFile[],
  unread: readonly string[],
  workspaces: ReadonlyMap<string, readonly string[]>,
): TerraformModule[] {
  const partial = new Set(unread.filter(isTerraform).map(directoryOf));
  const groups = Map.groupBy(files, ({ path }) => directoryOf(path));
  const directories = new Set(groups.keys());
  const modules = [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([directory, own]) => moduleOf(directory, own, directories));
  const called = new Set(
    modules.flatMap(({ calls }) => calls.flatMap((call) => call.directory ?? [])),
  );
  return modules.map((module) => ({
    ...module,
    isPartial: partial.has(module.directory),
    workspaces: workspaces.get(module.directory) ?? [],
    role: called.has(module.directory) || isLibrary(module) ? "child" : "root",
  }));
}

/** A module that nobody here calls, but that lies where modules to be called lie. */
function isLibrary({ directory, backend, files }: TerraformModule): boolean {
  return (
    backend === undefined &&
    /(?:^|\/)modules\//.test(`${directory}/`) &&
    !files.some(({ hcl }) => hcl.body.blocks.some(({ name }) => name === "provider"))
  );
}

function moduleOf(
  directory: string,
  files: readonly TerraformFile[],
  directories: ReadonlySet<string>,
): TerraformModule {
  const declarations = declarationsOf(files);
  const byAddress = new Map<string, Declaration>();
  for (const each of declarations)
    if (!byAddress.has(each.address)) byAddress.set(each.address, each);
  return {
    directory,
    role: "root",
    isPartial: false,
    workspaces: [],
    files,
    declarations,
    byAddress,
    calls: callsOf(directory, { declarations, files, directories }),
    providers: providersOf(files),
    ...settingsOf(files),
  };
}

function othersOf(texts: readonly SourceText[]): OtherFile[] {
  const charts = chartDirectories(texts.map(({ path }) => path));
  return texts.flatMap(({ path, text }) => {
    if (isTerraform(path) || isVariableFile(path)) return [];
    const kind = recogniseOther(path, text, charts);
    return kind === undefined ? [] : [{ path, kind, text }];
  });
}
