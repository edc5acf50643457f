// Two versions of Terraform files → a card of what their blocks say, for where nothing can plan. It asks no provider and
// no state: what a plan would add (replaces, computed values, drift, other modules) is not in it, and the card says so.

import { count } from "../../lib/text.ts";
import { parseHclJson } from "../hcl/json.ts";
import { parseHcl } from "../hcl/parse.ts";
import type { Block, Body, HclFile, Span } from "../hcl/tree.ts";
import type { SourceText } from "../map/read-files.ts";
import { directoryOf } from "../map/project-index.ts";
import { hclResources } from "../rules/engine/hcl-view.ts";
import type { Resource } from "../rules/engine/source.ts";
import { type Concern, makeCard, type PlanCard, type PlannedChange } from "./card.ts";
import { exposureOf } from "./exposure.ts";
import { changeConcerns } from "./judge.ts";
import { looksLikeProduction } from "./place.ts";
import { heldBy } from "./stateful.ts";

export type StaticDiff = {
  readonly card: PlanCard;
  /** Where each address stands, in the later version where it still does. */
  readonly places: ReadonlyMap<
    string,
    { readonly file: string; readonly line: number; readonly column: number }
  >;
};

type Declared = {
  readonly address: string;
  readonly type: string;
  readonly file: string;
  readonly at: Span;
  /** The block without differences of layout. */
  readonly text: string;
  readonly parts: ReadonlyMap<string, string>;
  readonly resource: Resource | undefined;
};

type Version = {
  readonly blocks: ReadonlyMap<string, Declared>;
  /** Text of everything that is no resource or module call, by its kind. */
  readonly others: ReadonlyMap<string, string>;
  readonly moved: ReadonlyMap<string, string>;
  readonly forgotten: ReadonlySet<string>;
  readonly broken: readonly string[];
};

/** Only files that differ need to be given; a file that exists on one side only is missing on the other. */
export function staticDiff(
  before: readonly SourceText[],
  after: readonly SourceText[],
  base: string,
): StaticDiff {
  const old = versionOf(before);
  const next = versionOf(after);
  const changes = [...changesBetween(old, next)];
  const concerns = [...new Set([...old.blocks.keys(), ...next.blocks.keys()])].flatMap((key) =>
    exposed(old.blocks.get(movedFrom(next, key) ?? key), next.blocks.get(key)),
  );
  const production = [...before, ...after].map(({ path }) => path).find(looksLikeProduction);
  const card = makeCard({
    source: "static diff",
    place: { tool: `code compared with ${base}`, accounts: [], regions: [] },
    changes,
    unchanged: 0,
    outputs: [],
    concerns: [
      ...changeConcerns(
        changes,
        production === undefined ? undefined : `the path (\`${production}\`)`,
      ),
      ...concerns,
    ],
    notes: notesOf(old, next),
  });
  const places = new Map(
    [...old.blocks, ...next.blocks].map(([address, { file, at }]) => [
      address,
      { file, line: at.line, column: at.column },
    ]),
  );
  return { card, places };
}

function versionOf(files: readonly SourceText[]): Version {
  const blocks = new Map<string, Declared>();
  const others = new Map<string, string>();
  const moved = new Map<string, string>();
  const forgotten = new Set<string>();
  const broken: string[] = [];
  for (const { path, text } of files) {
    const hcl = path.endsWith(".json") ? parseHclJson(text) : parseHcl(text);
    if (hcl.faults.length > 0) broken.push(path);
    const resources = resourcesIn(path, text, hcl);
    const inFile = (address: string) => qualified(path, address);
    for (const block of hcl.body.blocks) {
      const own = ownAddress(block);
      if (own !== undefined) {
        const address = inFile(own);
        blocks.set(address, declared(block, { path, text, address, resource: resources.get(own) }));
      } else if (block.name === "moved") {
        const { from, to } = textsOf(block.body, text);
        if (from !== undefined && to !== undefined) moved.set(inFile(to), inFile(from));
      } else if (block.name === "removed") {
        const { from } = textsOf(block.body, text);
        // Without it, Terraform destroys what the block names.
        const isKept = /destroy ?= ?false/.test(layoutFree(text, block.span));
        if (from !== undefined && isKept) forgotten.add(inFile(from));
      } else {
        const key = `${block.name}\u0000${inFile(block.labels.join("."))}`;
        others.set(key, (others.get(key) ?? "") + layoutFree(text, block.span));
      }
    }
  }
  return { blocks, others, moved, forgotten, broken };
}

function resourcesIn(path: string, text: string, hcl: HclFile): ReadonlyMap<string, Resource> {
  const all = hclResources({ dialect: "hcl", file: path, text, hcl });
  return new Map(
    all.map((resource) => [
      resource.address,
      { ...resource, address: qualified(path, resource.address) },
    ]),
  );
}

const qualified = (path: string, address: string): string => {
  const directory = directoryOf(path);
  return directory === "" ? address : `${directory}: ${address}`;
};

function ownAddress({ name, labels }: Block): string | undefined {
  const [first, second] = labels;
  if (name === "module" && first !== undefined) return `module.${first}`;
  return name === "resource" && first !== undefined && second !== undefined
    ? `${first}.${second}`
    : undefined;
}

function declared(
  block: Block,
  where: {
    readonly path: string;
    readonly text: string;
    readonly address: string;
    readonly resource: Resource | undefined;
  },
): Declared {
  const { path: file, text, address, resource } = where;
  const type = block.name === "module" ? "module" : (block.labels[0] ?? "");
  const parts = new Map<string, string>();
  for (const { name, value } of block.body.attributes)
    parts.set(name, layoutFree(text, value.span));
  for (const { name, span } of block.body.blocks)
    parts.set(name, (parts.get(name) ?? "") + layoutFree(text, span));
  return {
    address,
    type,
    file,
    at: block.nameSpan,
    text: layoutFree(text, block.span),
    parts,
    resource,
  };
}

const layoutFree = (text: string, { start, end }: Span): string =>
  text.slice(start, end).replaceAll(/\s+/g, " ");

function textsOf(body: Body, text: string): Partial<Record<string, string>> {
  return Object.fromEntries(
    body.attributes.map(({ name, value }) => [name, layoutFree(text, value.span)]),
  );
}

const movedFrom = (next: Version, address: string): string | undefined => next.moved.get(address);

function* changesBetween(old: Version, next: Version): Generator<PlannedChange> {
  const gone = new Set(old.blocks.keys());
  for (const [address, now] of next.blocks) {
    const from = movedFrom(next, address);
    const origin = from !== undefined && old.blocks.has(from) ? from : undefined;
    const then = old.blocks.get(origin ?? address);
    gone.delete(origin ?? address);
    const changed = then === undefined ? [] : changedParts(then, now);
    const base = toChange(now, changed);
    if (then === undefined) yield { ...base, action: "create" };
    else if (origin !== undefined)
      yield { ...base, action: changed.length > 0 ? "update" : "move", movedFrom: origin };
    else if (changed.length > 0) yield { ...base, action: "update" };
  }
  for (const address of gone) {
    const then = old.blocks.get(address);
    if (then === undefined) continue;
    const reason = "its block is gone";
    if (next.forgotten.has(address)) yield { ...toChange(then, []), action: "forget" };
    else yield { ...toChange(then, []), action: "delete", reason };
  }
}

function toChange({ address, type }: Declared, changed: readonly string[]) {
  const holds = heldBy(type);
  return { address, type, forcedBy: [], changed, ...(holds === undefined ? {} : { holds }) };
}

function changedParts(then: Declared, now: Declared): string[] {
  if (then.text === now.text) return [];
  const names = new Set([...then.parts.keys(), ...now.parts.keys()]);
  return [...names].filter((name) => then.parts.get(name) !== now.parts.get(name));
}

function exposed(then: Declared | undefined, now: Declared | undefined): Concern[] {
  // References are resolved by a plan only; that they are open here says nothing.
  return exposureOf({ before: then?.resource, after: now?.resource }).filter(
    ({ kind }) => kind !== "unknown",
  );
}

function notesOf(old: Version, next: Version): string[] {
  const kinds = new Map<string, number>();
  for (const key of new Set([...old.others.keys(), ...next.others.keys()])) {
    if (old.others.get(key) === next.others.get(key)) continue;
    const [kind = ""] = key.split("\u0000");
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const others = [...kinds].map(([kind, n]) => count(n, `${kind} block`)).join(", ");
  return [
    "Not a plan: blocks of two versions of the code are compared. What the provider would replace, what has drifted and what other modules make of it is not known.",
    ...(others === "" ? [] : [`Also changed, with effects that only a plan can tell: ${others}.`]),
    ...(next.broken.length === 0 ? [] : [`With syntax errors: ${next.broken.join(", ")}.`]),
  ];
}
