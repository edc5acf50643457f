// Questions to the index. Answers are places with a line of text each; wording and limits are the tool's.

import type { Traversal } from "../hcl/tree.ts";
import { plain } from "./brief.ts";
import { localDirectory, referencesIn } from "./declarations.ts";
import {
  directoryOf,
  type Declaration,
  type ProjectIndex,
  type TerraformModule,
} from "./project-index.ts";

export type Answer = { readonly file: string; readonly line: number; readonly text: string };

/** Limits a question to the modules at or below a directory; `""` is the whole project. */
export type Scope = { readonly directory: string };

function modulesIn(index: ProjectIndex, { directory }: Scope): readonly TerraformModule[] {
  if (directory === "") return index.modules;
  return index.modules.filter(
    (module) => module.directory === directory || module.directory.startsWith(`${directory}/`),
  );
}

/** Where `of` is declared: a whole address first, else every address or label that contains it. */
export function whereIs(index: ProjectIndex, of: string, scope: Scope): readonly Answer[] {
  const address = normaliseAddress(of);
  const modules = modulesIn(index, scope);
  const exact = modules.flatMap(({ declarations }) =>
    declarations.filter((each) => each.address === address),
  );
  if (exact.length > 0) return exact.map(toAnswer);
  const needle = address.toLowerCase();
  return modules.flatMap(({ declarations }) =>
    declarations.filter((each) => each.address.toLowerCase().includes(needle)).map(toAnswer),
  );
}

function toAnswer({ address, file, span }: Declaration): Answer {
  return { file, line: span.line, text: address };
}

/** `aws_vpc.main[0].id` and `var.x.y` → the address that declares it. */
export function normaliseAddress(of: string): string {
  const bare = of
    .trim()
    .replace(/^\$\{(.*)\}$/, "$1")
    .replaceAll(/\[[^\]]*\]/g, "");
  if (bare.startsWith("output.")) return bare;
  const address = addressOf(bare.split("."));
  return address ?? bare;
}

const BUILT_IN = new Set(["each", "count", "path", "terraform", "self"]);

/** The address that a reference's steps lead to; `undefined` for what is no declaration (`each`, `path`). */
export function addressOf(steps: readonly string[]): string | undefined {
  const [root, second, third] = steps;
  if (root === undefined || second === undefined || BUILT_IN.has(root)) return undefined;
  if (second.startsWith("[")) return undefined;
  if (root !== "data" && root !== "ephemeral") return `${root}.${second}`;
  return third === undefined || third.startsWith("[") ? undefined : `${root}.${second}.${third}`;
}

/** Every place that refers to `of`; for an output, the places outside its module too. */
export function refsOf(index: ProjectIndex, of: string, scope: Scope): readonly Answer[] {
  const address = normaliseAddress(of);
  const output = /^output\.(.+)$/.exec(address)?.[1];
  return modulesIn(index, scope).flatMap((module) => {
    if (output !== undefined) return outputUses(index, module, output);
    return usesIn(module, (reference) => addressOf(reference.steps) === address);
  });
}

function usesIn(module: TerraformModule, matches: (reference: Traversal) => boolean): Answer[] {
  return module.files.flatMap(({ path, hcl }) =>
    hcl.body.blocks.flatMap((block) =>
      referencesIn(block.body)
        .filter(matches)
        .map(({ steps, span }) => ({
          file: path,
          line: span.line,
          text: `${showSteps(steps)} in ${[block.name, ...block.labels].join(".")}`,
        })),
    ),
  );
}

function outputUses(index: ProjectIndex, module: TerraformModule, output: string): Answer[] {
  if (!module.byAddress.has(`output.${output}`)) return [];
  return index.modules.flatMap((caller) =>
    caller.calls
      .filter((call) => call.directory === module.directory)
      .flatMap((call) =>
        usesIn(
          caller,
          ({ steps }) =>
            steps[0] === "module" && steps[1] === call.name && nameAfter(steps) === output,
        ),
      ),
  );
}

/** The output's name behind `module.x`, past any index of the module. */
export function nameAfter(steps: readonly string[]): string | undefined {
  return steps.slice(2).find((step) => !step.startsWith("["));
}

function showSteps(steps: readonly string[]): string {
  return steps.reduce((text, step) => (step.startsWith("[") ? text + step : `${text}.${step}`));
}

/** What `of` needs, directly. */
export function dependsOn(index: ProjectIndex, of: string, scope: Scope): readonly Answer[] {
  const address = normaliseAddress(of);
  return modulesIn(index, scope).flatMap((module) => {
    const declaration = module.byAddress.get(address);
    if (declaration === undefined) return [];
    const needed = new Set(declaration.references.flatMap(({ steps }) => addressOf(steps) ?? []));
    return [...needed].toSorted().map((each) => {
      const target = module.byAddress.get(each);
      if (target !== undefined) return toAnswer(target);
      return {
        file: declaration.file,
        line: declaration.span.line,
        text: `${each} (not declared)`,
      };
    });
  });
}

/** What needs `of`: directly, then through others, marked as such. */
export function dependents(index: ProjectIndex, of: string, scope: Scope): readonly Answer[] {
  const address = normaliseAddress(of);
  return modulesIn(index, scope).flatMap((module) => {
    if (!module.byAddress.has(address)) return [];
    const users = usersByAddress(module);
    const direct = users.get(address) ?? [];
    const seen = new Set([address, ...direct.map((each) => each.address)]);
    const answers = direct.map(toAnswer);
    const queue = [...direct];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      for (const user of users.get(next.address) ?? []) {
        if (seen.has(user.address)) continue;
        seen.add(user.address);
        queue.push(user);
        answers.push({ ...toAnswer(user), text: `${user.address} (through ${next.address})` });
      }
    }
    return answers;
  });
}

function usersByAddress(module: TerraformModule): ReadonlyMap<string, readonly Declaration[]> {
  const users = new Map<string, Declaration[]>();
  for (const declaration of module.declarations) {
    for (const used of new Set(declaration.references.map(({ steps }) => addressOf(steps)))) {
      if (used === undefined) continue;
      const there = users.get(used);
      if (there === undefined) users.set(used, [declaration]);
      else there.push(declaration);
    }
  }
  return users;
}

/** Calls of a module, named by its directory or by (a part of) its source. */
export function whoUsesModule(index: ProjectIndex, of: string, scope: Scope): readonly Answer[] {
  const directory = localDirectory("", of.startsWith(".") ? of : `./${of}`);
  return modulesIn(index, scope).flatMap(({ calls }) =>
    calls
      .filter((call) => call.directory === directory || (call.source ?? "").includes(of))
      .map(({ name, source, version, declaration }) => ({
        file: declaration.file,
        line: declaration.span.line,
        text: `module.${name} (source ${plain(source ?? "computed")}${version === undefined ? "" : `, version ${version}`}) in ${directoryOf(declaration.file) || "."}`,
      })),
  );
}
