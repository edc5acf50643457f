// The form of a schema index: names and flags of every type of one provider, compact enough to be bundled.
// A block is one text of names with marks; equal blocks stand once. What types mean and which values fit is not in it.

import { z } from "zod";

/**
 * Marks after a name: `!` required, `~` set by the provider only, `^` optional and else set by the provider,
 * `%` deprecated, `*` sensitive, `:7` a nested block (number 7 of `blocks`), `=7` an attribute that is an object.
 */
const ITEM = /^([^!~^%*:=]+)([!~^]?)(%?)(\*?)(?:([:=])(\d+))?$/;

export const schemaIndexFile = z.object({
  /** `hashicorp/aws`; `cloudformation`; `kubernetes`. */
  source: z.string(),
  version: z.string(),
  /** Where it was taken from, with licence. */
  origin: z.string(),
  /** `aws_instance`, `data.aws_ami`, `provider.aws`, `AWS::S3::Bucket`, `apps/v1/Deployment` → number in `blocks`. */
  types: z.record(z.string(), z.number()),
  blocks: z.array(z.string()),
  /** Present when deprecated and sensitive names are marked; bindings do not tell them. */
  hasMarks: z.boolean().optional(),
});
export type SchemaIndexFile = z.infer<typeof schemaIndexFile>;

export type Presence = "required" | "optional" | "computed" | "optional_computed";

export type SchemaField = {
  readonly name: string;
  readonly presence: Presence;
  readonly isDeprecated: boolean;
  readonly isSensitive: boolean;
  /** `block`: written as `name { … }`; `object`: an attribute with fields of its own. */
  readonly form: "attribute" | "block" | "object";
  /** Number of the block that says what is inside. */
  readonly inside?: number;
};

export type SchemaBlock = ReadonlyMap<string, SchemaField>;

export type SchemaIndex = {
  readonly source: string;
  readonly version: string;
  readonly origin: string;
  readonly hasMarks: boolean;
  /** Absent types are not known here; that does not mean that they do not exist. */
  readonly typeNames: readonly string[];
  readonly typeOf: (type: string) => SchemaBlock | undefined;
  readonly blockAt: (inside: number) => SchemaBlock;
};

const PRESENCES: Readonly<Record<string, Presence>> = {
  "": "optional",
  "!": "required",
  "~": "computed",
  "^": "optional_computed",
};
const MARKS: Readonly<Record<Presence, string>> = {
  optional: "",
  required: "!",
  computed: "~",
  optional_computed: "^",
};

/** Blocks are read when they are first asked for, and once. */
export function openSchemaIndex(file: SchemaIndexFile): SchemaIndex {
  const read = new Map<number, SchemaBlock>();
  const blockAt = (at: number): SchemaBlock => {
    const known = read.get(at);
    if (known !== undefined) return known;
    const block = readBlock(file.blocks[at] ?? "");
    read.set(at, block);
    return block;
  };
  return {
    source: file.source,
    version: file.version,
    origin: file.origin,
    hasMarks: file.hasMarks ?? false,
    typeNames: Object.keys(file.types),
    typeOf: (type) => {
      const at = Object.hasOwn(file.types, type) ? file.types[type] : undefined;
      return at === undefined ? undefined : blockAt(at);
    },
    blockAt,
  };
}

function readBlock(text: string): SchemaBlock {
  const block = new Map<string, SchemaField>();
  for (const item of text.split(" ")) {
    const [, name, presence = "", deprecated, sensitive, form, inside] = ITEM.exec(item) ?? [];
    if (name === undefined) continue;
    block.set(name, {
      name,
      presence: PRESENCES[presence] ?? "optional",
      isDeprecated: deprecated === "%",
      isSensitive: sensitive === "*",
      form: form === ":" ? "block" : form === "=" ? "object" : "attribute",
      ...(inside === undefined ? {} : { inside: Number(inside) }),
    });
  }
  return block;
}

/** Collects blocks for a file; equal ones get one number. */
export type BlockTable = {
  readonly add: (fields: readonly SchemaField[]) => number;
  readonly blocks: readonly string[];
};

export function createBlockTable(): BlockTable {
  const numbers = new Map<string, number>();
  return {
    get blocks() {
      return [...numbers.keys()];
    },
    add: (fields) => {
      const text = fields
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(writeField)
        .join(" ");
      const known = numbers.get(text) ?? numbers.size;
      numbers.set(text, known);
      return known;
    },
  };
}

function writeField(field: SchemaField): string {
  const { name, presence, isDeprecated, isSensitive, form, inside } = field;
  const nested = inside === undefined ? "" : `${form === "block" ? ":" : "="}${inside}`;
  return `${name}${MARKS[presence]}${isDeprecated ? "%" : ""}${isSensitive ? "*" : ""}${nested}`;
}
