// Reads names and flags of a Terraform provider out of its generated CDK bindings (one folder a type, JavaScript text).
// Only facts are taken: names, required, computed, nested. No description is read.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  createBlockTable,
  type Presence,
  type SchemaField,
  type SchemaIndexFile,
} from "../../../src/iac/schema/schema-index.ts";

type Entry = {
  readonly name: string;
  /** As the bindings call it. */
  readonly property: string;
  readonly struct?: string;
  readonly isBlock: boolean;
};
type Bindings = {
  /** Struct or class → what can be written. */
  readonly entries: ReadonlyMap<string, readonly Entry[]>;
  /** Struct or class → name → presence. */
  readonly presences: ReadonlyMap<string, ReadonlyMap<string, Presence>>;
  /** `aws_instance` or `data.aws_ami` or `provider.aws`, and its class. */
  readonly main?: { readonly type: string; readonly className: string };
};

const CLASS = /^class (\w+) extends cdktf\.(\w+) \{$/;
const FLAGS = /^ +\/\/ (\w+) - computed: (\w+), optional: (\w+), required: (\w+)$/;
const STRUCT = /^function (\w+)ToHclTerraform\(/;
const NAME = /^ {8}(?: {4})?"?(\w+)"?: \{$/;
const VALUE = /^ +value: (.*),$/;
const PROPERTY = /\b(?:this\._|struct\.)(\w+)/;
const INTERFACE = /^export (?:declare )?interface (\w+)/;
const REQUIRED = /^ +readonly (\w+): /;
const IS_BLOCK = /^ +isBlock: (true|false),$/;
const TYPE = /^\w+\.tfResourceType = "(\w+)";$/;

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function presenceOf(computed: boolean, optional: boolean, required: boolean): Presence {
  if (required) return "required";
  if (computed) return optional ? "optional_computed" : "computed";
  return "optional";
}

export function readBindings(text: string): Bindings {
  const entries = new Map<string, Entry[]>();
  const presences = new Map<string, Map<string, Presence>>();
  let owner = "";
  let name = "";
  let struct: string | undefined;
  let property = "";
  let main: { kind: string; className: string } | undefined;
  let type = "";
  for (const line of text.split("\n")) {
    const asClass = CLASS.exec(line);
    if (asClass?.[1] !== undefined) {
      const isMain = /^Terraform(?:Resource|DataSource|Provider|EphemeralResource)$/.test(
        asClass[2] ?? "",
      );
      if (isMain) main = { kind: asClass[2] ?? "", className: asClass[1] };
      owner = isMain ? asClass[1] : lowerFirst(asClass[1].replace(/OutputReference$/, ""));
      continue;
    }
    const asStruct = STRUCT.exec(line);
    if (asStruct?.[1] !== undefined) {
      owner = asStruct[1];
      entries.set(owner, []);
      continue;
    }
    type ||= TYPE.exec(line)?.[1] ?? "";
    const flags = FLAGS.exec(line);
    if (flags?.[1] !== undefined) {
      const own = presences.get(owner) ?? new Map<string, Presence>();
      presences.set(
        owner,
        own.set(
          flags[1],
          presenceOf(flags[2] === "true", flags[3] === "true", flags[4] === "true"),
        ),
      );
      continue;
    }
    name = NAME.exec(line)?.[1] ?? name;
    const value = VALUE.exec(line);
    if (value?.[1] !== undefined) {
      struct = /(?<!cdktf\.)\b(\w+)ToHclTerraform\b/.exec(value[1])?.[1];
      property = PROPERTY.exec(value[1])?.[1] ?? "";
    }
    const block = IS_BLOCK.exec(line);
    if (block === null || name === "") continue;
    entries.set(owner, [
      ...(entries.get(owner) ?? []),
      { name, property, isBlock: block[1] === "true", ...(struct === undefined ? {} : { struct }) },
    ]);
    name = "";
  }
  if (main === undefined) return { entries, presences };
  const prefix =
    main.kind === "TerraformDataSource"
      ? "data."
      : main.kind === "TerraformProvider"
        ? "provider."
        : "";
  return { entries, presences, main: { type: `${prefix}${type}`, className: main.className } };
}

/** Interface → the properties that must be given; from the type declarations. */
export function readRequired(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const required = new Map<string, Set<string>>();
  let own = new Set<string>();
  for (const line of text.split("\n")) {
    const name = INTERFACE.exec(line)?.[1];
    if (name !== undefined) required.set(lowerFirst(name), (own = new Set()));
    // Classes have fields of the same form, after their last interface.
    else if (line.startsWith("export declare class ")) own = new Set();
    const property = REQUIRED.exec(line)?.[1];
    if (property !== undefined) own.add(property);
  }
  return required;
}

/** The text of one type's folder: its own file and those of its structs. */
function textOf(folder: string, ending: ".js" | ".d.ts"): string {
  const structs = join(folder, "index-structs");
  const names = readdirSync(folder).includes("index-structs") ? readdirSync(structs) : [];
  return [
    readFileSync(join(folder, `index${ending}`), "utf8"),
    ...names
      .filter((name) => name.startsWith("structs") && name.endsWith(ending))
      .map((name) => readFileSync(join(structs, name), "utf8")),
  ].join("\n");
}

export type BindingsPackage = {
  readonly source: string;
  readonly version: string;
  readonly origin: string;
};

/** `folder` is the unpacked package's `lib`. */
export function indexBindings(
  folder: string,
  { source, version, origin }: BindingsPackage,
): SchemaIndexFile {
  const table = createBlockTable();
  const types: Record<string, number> = {};
  for (const name of readdirSync(folder).toSorted()) {
    if (name.includes(".")) continue;
    const { entries, presences, main } = readBindings(textOf(join(folder, name), ".js"));
    if (main === undefined) continue;
    const required = readRequired(textOf(join(folder, name), ".d.ts"));
    const fieldsOf = (owner: string, isMain: boolean, within: readonly string[]): number => {
      const own = entries.get(owner) ?? [];
      const flags = presences.get(owner);
      const needed = required.get(isMain ? `${lowerFirst(owner)}Config` : owner);
      const written = own.map((entry): SchemaField => {
        const isKnown =
          entry.struct !== undefined && !within.includes(entry.struct) && entries.has(entry.struct);
        return {
          name: entry.name,
          presence:
            needed?.has(entry.property) === true
              ? "required"
              : (flags?.get(entry.name) ?? "optional"),
          isDeprecated: false,
          isSensitive: false,
          form: entry.isBlock ? "block" : entry.struct === undefined ? "attribute" : "object",
          ...(isKnown ? { inside: fieldsOf(entry.struct, false, [...within, entry.struct]) } : {}),
        };
      });
      const names = new Set(own.map((entry) => entry.name));
      const computed = [...(flags ?? [])]
        .filter(([field]) => !names.has(field))
        .map(([field, presence]): SchemaField => ({
          name: field,
          presence,
          isDeprecated: false,
          isSensitive: false,
          form: "attribute",
        }));
      return table.add([...written, ...computed]);
    };
    types[main.type] = fieldsOf(main.className, true, []);
  }
  return { source, version, origin, types, blocks: [...table.blocks] };
}
