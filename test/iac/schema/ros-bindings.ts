// Reads names and flags of ROS types out of Alibaba Cloud's generated CDK bindings (JavaScript text).

import {
  createBlockTable,
  type SchemaField,
  type SchemaIndexFile,
} from "../../../src/iac/schema/schema-index.ts";

type Entry = { readonly name: string; readonly property: string; readonly struct?: string };

const FUNCTION = /^function (\w+)ToRosTemplate\(/;
const VALIDATOR = /^function (\w+)Validator\(/;
const REQUIRED = /propertyValidator\('(\w+)', ros\.requiredValidator\)/;
const ENTRY = /^ +'?([\w.-]+)'?: (.*properties\.(\w+)\)),$/;
const STRUCT = /(?<!ros\.)\b(\w+)ToRosTemplate\b/;
const CLASS = /^class (\w+) extends ros\.RosResource/;
const TYPE = /^(\w+)\.ROS_RESOURCE_TYPE_NAME = "([\w:-]+)";/;
const ATTRIBUTE = /this\.getAtt\('([\w.-]+)'\)/;

/** `rosInstance_TagsProperty` and `RosInstanceTagsProperty` are one. */
const keyOf = (name: string): string => name.replaceAll("_", "").toLowerCase();

/** `texts` are the `*.generated.js` files of the packages. */
export function indexRos(
  texts: readonly string[],
  origin: Pick<SchemaIndexFile, "source" | "version" | "origin">,
): SchemaIndexFile {
  const table = createBlockTable();
  const types = texts.flatMap((text) => typesOf(text, table.add));
  return {
    ...origin,
    types: Object.fromEntries(types.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    blocks: [...table.blocks],
  };
}

function typesOf(
  text: string,
  add: (fields: readonly SchemaField[]) => number,
): (readonly [string, number])[] {
  const entries = new Map<string, Entry[]>();
  const required = new Map<string, Set<string>>();
  const attributes = new Map<string, string[]>();
  const classes: (readonly [className: string, type: string])[] = [];
  let owner = "";
  for (const line of text.split("\n")) {
    const opened = (FUNCTION.exec(line) ?? VALIDATOR.exec(line) ?? CLASS.exec(line))?.[1];
    if (opened !== undefined) owner = keyOf(opened);
    const needed = REQUIRED.exec(line)?.[1];
    if (needed !== undefined) required.set(owner, (required.get(owner) ?? new Set()).add(needed));
    const [, name, value, property] = ENTRY.exec(line) ?? [];
    if (name !== undefined && value !== undefined && property !== undefined) {
      const struct = STRUCT.exec(value)?.[1];
      const entry = { name, property, ...(struct === undefined ? {} : { struct: keyOf(struct) }) };
      entries.set(owner, [...(entries.get(owner) ?? []), entry]);
    }
    const attribute = ATTRIBUTE.exec(line)?.[1];
    if (attribute !== undefined)
      attributes.set(owner, [...(attributes.get(owner) ?? []), attribute]);
    const [, className, type] = TYPE.exec(line) ?? [];
    if (className !== undefined && type !== undefined) classes.push([className, type]);
  }
  const blockOf = (key: string, computed: readonly string[], within: readonly string[]): number => {
    const own = entries.get(key) ?? [];
    const written = own.map(({ name, property, struct }): SchemaField => {
      const isKnown = struct !== undefined && entries.has(struct) && !within.includes(struct);
      return {
        name,
        presence: required.get(key)?.has(property) === true ? "required" : "optional",
        isDeprecated: false,
        isSensitive: false,
        form: isKnown ? "object" : "attribute",
        ...(isKnown ? { inside: blockOf(struct, [], [...within, struct]) } : {}),
      };
    });
    const names = new Set(own.map(({ name }) => name));
    const given = computed
      .filter((name) => !names.has(name))
      .map((name): SchemaField => ({
        name,
        presence: "computed",
        isDeprecated: false,
        isSensitive: false,
        form: "attribute",
      }));
    return add([...written, ...given]);
  };
  return classes.map(([className, type]) => [
    type,
    blockOf(keyOf(`${className}Props`), attributes.get(keyOf(className)) ?? [], []),
  ]);
}
