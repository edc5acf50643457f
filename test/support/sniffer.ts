// Checks every message the agent sends against the JSON Schema that ships with the SDK (v1 with its unstable parts).
// The schema itself says which type belongs to which method.

import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import schema from "../../node_modules/@agentclientprotocol/sdk/schema/v1/schema.unstable.json";

type Json = Record<string, unknown>;

const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false });
ajv.addSchema(schema, "acp");

const validators = new Map<string, ValidateFunction>();
/** `session/new response` → the validator of NewSessionResponse. */
function validatorFor(
  method: string,
  suffix: "Request" | "Response" | "Notification",
): ValidateFunction | undefined {
  const key = `${method} ${suffix}`;
  const known = validators.get(key);
  if (known !== undefined) return known;
  const entry = Object.entries(schema.$defs).find(
    ([name, type]) => name.endsWith(suffix) && "x-method" in type && type["x-method"] === method,
  );
  if (entry === undefined) return undefined;
  const compiled = ajv.compile({ $ref: `acp#/$defs/${entry[0]}` });
  validators.set(key, compiled);
  return compiled;
}

/** Spellings of ours whose answers are those of the standard method. */
const ALIASES: Readonly<Record<string, string>> = {
  "sessions/list": "session/list",
  "config/set": "session/set_config_option",
};

function faultsOf(validate: ValidateFunction | undefined, value: unknown, what: string): string[] {
  if (validate === undefined || validate(value)) return [];
  return [`${what}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value).slice(0, 400)}`];
}

/** What is wrong with a message of the agent; `answered` is the method of the request it answers. */
export function checkMessage(message: Json, answered: string | undefined): string[] {
  if (message["jsonrpc"] !== "2.0")
    return [`not JSON-RPC 2.0: ${JSON.stringify(message).slice(0, 200)}`];
  const { method } = message;
  if (typeof method === "string") {
    const suffix = "id" in message ? "Request" : "Notification";
    const validate = validatorFor(method, suffix);
    return validate === undefined && !method.startsWith("$/")
      ? [`unknown method ${method}`]
      : faultsOf(validate, message["params"], method);
  }
  if ("error" in message) {
    const error = message["error"] as Json;
    return Number.isInteger(error["code"]) && typeof error["message"] === "string"
      ? []
      : [`malformed error ${JSON.stringify(error)}`];
  }
  if (!("result" in message))
    return [`neither result nor error: ${JSON.stringify(message).slice(0, 200)}`];
  const name = answered === undefined ? undefined : (ALIASES[answered] ?? answered);
  return name === undefined
    ? []
    : faultsOf(validatorFor(name, "Response"), message["result"], `${name} response`);
}
