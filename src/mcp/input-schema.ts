// The JSON Schema of a tool's arguments as a server sends it: handed on to the model as it is, made harmless where it is
// none, and checked loosely, since the server checks for itself. Pure.

import { type JsonObject, type JsonValue, isRecord } from "../lib/json.ts";

/** UTF-16 units as JSON; a longer one would cost more of the model's window than the tool is worth. */
export const MAX_SCHEMA_LENGTH = 32_000;
const ANYTHING: JsonObject = { type: "object", additionalProperties: true };

/** An object schema in any case: model endpoints refuse the whole request for anything else. */
export function toInputSchema(value: unknown): JsonObject {
  if (!isRecord(value)) return ANYTHING;
  const { $schema: _, ...schema } = value as Record<string, JsonValue>;
  const isObject = schema["type"] === undefined || schema["type"] === "object";
  if (!isObject || JSON.stringify(schema).length > MAX_SCHEMA_LENGTH) return ANYTHING;
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  return { ...schema, type: "object", properties: properties as JsonObject };
}

const CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  array: (value) => Array.isArray(value),
  object: isRecord,
  null: (value) => value === null,
};

function typeFault(schema: unknown, value: unknown): string | undefined {
  if (!isRecord(schema)) return undefined;
  const types = [schema["type"]].flat().filter((type) => typeof type === "string");
  const known = types.flatMap((type) => CHECKS[type] ?? []);
  if (known.length === types.length && known.length > 0 && !known.some((check) => check(value)))
    return `must be ${types.join(" or ")}`;
  const { enum: allowed } = schema;
  return Array.isArray(allowed) && !allowed.includes(value) && !isRecord(value)
    ? `must be one of ${allowed.map((one) => JSON.stringify(one)).join(", ")}`
    : undefined;
}

/** What is plainly wrong with `args`: a missing field, a wrong type or value at the top. Nothing deeper is looked at. */
export function argumentFaults(schema: JsonObject, args: JsonObject): string[] {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const missing = required.flatMap((name) =>
    typeof name === "string" && !Object.hasOwn(args, name) ? [`${name}: is missing`] : [],
  );
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const wrong = Object.entries(args).flatMap(([name, value]) => {
    const fault = Object.hasOwn(properties, name) ? typeFault(properties[name], value) : undefined;
    return fault === undefined ? [] : [`${name}: ${fault}`];
  });
  return [...missing, ...wrong];
}
