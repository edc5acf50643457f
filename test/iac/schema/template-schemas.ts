// Reads names and flags of CloudFormation types and Kubernetes kinds out of their JSON schemas. Descriptions are not read.

import { isRecord } from "../../../src/lib/json.ts";
import {
  createBlockTable,
  type BlockTable,
  type SchemaField,
  type SchemaIndexFile,
} from "../../../src/iac/schema/schema-index.ts";

type Json = Readonly<Record<string, unknown>>;
type Origin = Pick<SchemaIndexFile, "source" | "version" | "origin">;

const recordOf = (value: unknown): Json => (isRecord(value) ? value : {});
const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];

/** Follows references and lists to the schema of an object; `undefined` for anything whose fields are not listed. */
function objectOf(schema: Json, definitions: Json): { schema: Json; name: string } | undefined {
  let at = schema;
  let name = "";
  for (let steps = 0; steps < 16; steps += 1) {
    const reference = at["$ref"];
    if (typeof reference === "string") {
      name = reference.split("/").at(-1) ?? "";
      at = recordOf(definitions[name]);
    } else if (isRecord(at["items"])) at = at["items"];
    else
      return isRecord(at["properties"]) && at["additionalProperties"] !== true
        ? { schema: at, name }
        : undefined;
  }
  return undefined;
}

type Walk = {
  readonly table: BlockTable;
  readonly definitions: Json;
  /** `/properties/Arn` and the like of the type. */
  readonly readOnly: ReadonlySet<string>;
  readonly deprecated: ReadonlySet<string>;
  readonly writeOnly: ReadonlySet<string>;
};

function addObject(schema: Json, path: string, within: readonly string[], walk: Walk): number {
  const required = new Set(stringsOf(schema["required"]));
  const fields = Object.entries(recordOf(schema["properties"])).map(
    ([name, value]): SchemaField => {
      const own = `${path}/${name}`;
      const inner = objectOf(recordOf(value), walk.definitions);
      // A type that holds itself is left open where it comes back.
      const isOpen = inner === undefined || (inner.name !== "" && within.includes(inner.name));
      return {
        name,
        presence: walk.readOnly.has(own)
          ? "computed"
          : required.has(name)
            ? "required"
            : "optional",
        isDeprecated: walk.deprecated.has(own),
        isSensitive: walk.writeOnly.has(own),
        form: isOpen ? "attribute" : "object",
        ...(isOpen ? {} : { inside: addObject(inner.schema, own, [...within, inner.name], walk) }),
      };
    },
  );
  return walk.table.add(fields);
}

const pointers = (value: unknown): ReadonlySet<string> =>
  new Set(
    stringsOf(value).map((pointer) =>
      pointer.replace("/properties", "").replaceAll("/properties/", "/"),
    ),
  );

/** `schemas` in order of preference; later ones of the same type add only their names. */
export function indexCloudFormation(schemas: readonly Json[], origin: Origin): SchemaIndexFile {
  const table = createBlockTable();
  const byType = Map.groupBy(schemas, ({ typeName }) => String(typeName));
  const types = [...byType].map(([type, [first = {}, ...others]]) => {
    const more = Object.assign({}, ...others.map(({ properties }) => recordOf(properties)));
    const merged = { ...first, properties: { ...more, ...recordOf(first["properties"]) } };
    const walk = {
      table,
      definitions: recordOf(first["definitions"]),
      readOnly: pointers(first["readOnlyProperties"]),
      deprecated: pointers(first["deprecatedProperties"]),
      writeOnly: new Set<string>(),
    };
    return [type, addObject(merged, "", [], walk)] as const;
  });
  return { ...origin, types: Object.fromEntries(types), blocks: [...table.blocks] };
}

/** `definitions` of the API, those with a group, version and kind become types. */
export function indexKubernetes(definitions: Json, origin: Origin): SchemaIndexFile {
  const table = createBlockTable();
  const none = new Set<string>();
  const walk = { table, definitions, readOnly: none, deprecated: none, writeOnly: none };
  const types: Record<string, number> = {};
  for (const definition of Object.values(definitions).map(recordOf)) {
    const kinds = definition["x-kubernetes-group-version-kind"];
    if (!Array.isArray(kinds) || kinds.length !== 1 || !isRecord(definition["properties"]))
      continue;
    const { group, version, kind } = recordOf(kinds[0]);
    const isKind = isRecord(definition["properties"]["metadata"]);
    if (!isKind || String(kind).endsWith("List")) continue;
    types[`${group === "" ? "" : `${String(group)}/`}${String(version)}/${String(kind)}`] =
      addObject(definition, "", [], walk);
  }
  return { ...origin, types, blocks: [...table.blocks] };
}
