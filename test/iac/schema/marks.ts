// Adds what bindings do not tell, which names are deprecated and which sensitive, from the schemas of a real provider.
// Run by hand: `bun test/iac/schema/marks.ts aws <file> <version>`, the file being the output of
// `terraform providers schema -json`. A name keeps its mark only where both know it; the two versions may differ.

import { join } from "node:path";
import { unpackSchemaFile } from "../../../src/iac/schema/bundled.ts";
import { fromProviderSchemas } from "../../../src/iac/schema/from-provider.ts";
import {
  createBlockTable,
  openSchemaIndex,
  type SchemaBlock,
  type SchemaField,
  type SchemaIndex,
  type SchemaIndexFile,
} from "../../../src/iac/schema/schema-index.ts";
import { packSchemaIndex } from "./build.ts";

/** `file` with the marks of `marked`, and with a note of where they are from behind its origin. */
export function withMarks(file: SchemaIndexFile, marked: SchemaIndexFile): SchemaIndexFile {
  const [own, other] = [openSchemaIndex(file), openSchemaIndex(marked)];
  const table = createBlockTable();
  const types = own.typeNames.map((type) => {
    const block = own.typeOf(type) ?? new Map<string, SchemaField>();
    return [type, addMarked(own, block, other, other.typeOf(type), table.add)] as const;
  });
  return {
    ...file,
    origin: `${file.origin.replace(/; .*/, "")}; deprecated and sensitive as in ${marked.version}`,
    types: Object.fromEntries(types),
    blocks: [...table.blocks],
    hasMarks: true,
  };
}

function addMarked(
  own: SchemaIndex,
  block: SchemaBlock,
  other: SchemaIndex,
  marks: SchemaBlock | undefined,
  add: (fields: readonly SchemaField[]) => number,
): number {
  const fields = [...block.values()].map(({ inside, ...field }): SchemaField => {
    const mark = marks?.get(field.name);
    const within = mark?.inside === undefined ? undefined : other.blockAt(mark.inside);
    return {
      ...field,
      // A name that is given in another way now is a new thing under an old name: `region` of AWS.
      isDeprecated: mark?.isDeprecated === true && isGivenAlike(mark, field),
      isSensitive: mark?.isSensitive === true,
      ...(inside === undefined
        ? {}
        : { inside: addMarked(own, own.blockAt(inside), other, within, add) }),
    };
  });
  return add(fields);
}

/** Bindings say `optional` of much that the provider sets when it is absent. */
function isGivenAlike(one: SchemaField, other: SchemaField): boolean {
  const isOptional = (field: SchemaField) => field.presence.startsWith("optional");
  return one.presence === other.presence || (isOptional(one) && isOptional(other));
}

if (import.meta.main) {
  const [name = "aws", schemas = "", version = ""] = process.argv.slice(2);
  const path = join(import.meta.dir, `../../../src/iac/schema/data/${name}.zst`);
  const [marked] = fromProviderSchemas(await Bun.file(schemas).json(), () => version);
  if (marked === undefined) throw new Error(`${schemas} holds no provider`);
  const file = unpackSchemaFile(await Bun.file(path).bytes());
  await Bun.write(path, packSchemaIndex(withMarks(file, marked)));
}
