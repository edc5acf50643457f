// The output of `terraform providers schema -json` as schema indexes, one a provider.
// https://developer.hashicorp.com/terraform/cli/commands/providers/schema

import { isRecord } from "../../lib/json.ts";
import {
  createBlockTable,
  type BlockTable,
  type Presence,
  type SchemaField,
  type SchemaIndexFile,
} from "./schema-index.ts";

type Json = Readonly<Record<string, unknown>>;

const recordOf = (value: unknown): Json => (isRecord(value) ? value : {});

/** `registry.terraform.io/hashicorp/aws` → `hashicorp/aws`. */
const shortSource = (address: string): string => address.split("/").slice(-2).join("/");

/**
 * One index for each provider of the output; none when it is no such output. `versionOf` tells the version of a source
 * (`hashicorp/aws`), which the output does not hold.
 */
export function fromProviderSchemas(
  output: unknown,
  versionOf: (source: string) => string,
): SchemaIndexFile[] {
  const schemas = isRecord(output) ? recordOf(output["provider_schemas"]) : {};
  return Object.entries(schemas).map(([address, schema]) => {
    const source = shortSource(address);
    return {
      source,
      version: versionOf(source),
      origin: "the installed provider",
      hasMarks: true,
      ...typesOf(recordOf(schema), source),
    };
  });
}

function typesOf(schema: Json, source: string): Pick<SchemaIndexFile, "types" | "blocks"> {
  const table = createBlockTable();
  const kinds = [
    ["", recordOf(schema["resource_schemas"])],
    ["data.", recordOf(schema["data_source_schemas"])],
    ["ephemeral.", recordOf(schema["ephemeral_resource_schemas"])],
    ["provider.", { [source.split("/").at(-1) ?? source]: schema["provider"] }],
  ] as const;
  const types = kinds.flatMap(([prefix, all]) =>
    Object.entries(all).map(
      ([name, one]) =>
        [`${prefix}${name}`, addBlock(recordOf(recordOf(one)["block"]), table)] as const,
    ),
  );
  return { types: Object.fromEntries(types), blocks: [...table.blocks] };
}

function addBlock(block: Json, table: BlockTable): number {
  return table.add([
    ...attributesOf(block, table),
    ...Object.entries(recordOf(block["block_types"])).map(([name, value]): SchemaField => {
      const nested = recordOf(value);
      const inner = recordOf(nested["block"]);
      return {
        name,
        presence: Number(nested["min_items"] ?? 0) > 0 ? "required" : "optional",
        isDeprecated: inner["deprecated"] === true,
        isSensitive: false,
        form: "block",
        inside: addBlock(inner, table),
      };
    }),
  ]);
}

function attributesOf(holder: Json, table: BlockTable): SchemaField[] {
  return Object.entries(recordOf(holder["attributes"])).map(([name, value]) => {
    const attribute = recordOf(value);
    const nested = attribute["nested_type"];
    return {
      name,
      presence: presenceOf(attribute),
      isDeprecated: attribute["deprecated"] === true,
      isSensitive: attribute["sensitive"] === true,
      ...(isRecord(nested)
        ? { form: "object", inside: table.add(attributesOf(nested, table)) }
        : insideOfType(attribute["type"], table)),
    };
  });
}

/** Attributes that are lists of objects may also be written as blocks, so their fields are worth knowing. */
function insideOfType(type: unknown, table: BlockTable): Pick<SchemaField, "form" | "inside"> {
  if (!Array.isArray(type)) return { form: "attribute" };
  const [kind, inner]: readonly unknown[] = type;
  if (kind !== "object") return insideOfType(inner, table);
  const fields = Object.entries(recordOf(inner)).map(([name, of]): SchemaField => ({
    name,
    presence: "optional",
    isDeprecated: false,
    isSensitive: false,
    ...insideOfType(of, table),
  }));
  return { form: "object", inside: table.add(fields) };
}

function presenceOf({ required, optional, computed }: Json): Presence {
  if (required === true) return "required";
  if (computed === true) return optional === true ? "optional_computed" : "computed";
  return "optional";
}
