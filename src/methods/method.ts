// Makes a method from a parser and a handler, so that a handler only ever sees parsed params.

import type { z } from "zod";
import type { Method, MethodContext } from "../dispatch/method.ts";
import type { CapabilityShare } from "../protocol/capabilities.ts";
import { parseParams } from "../protocol/params.ts";
import type { Services } from "./services.ts";

type Definition<Params> = {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly kind?: "request" | "notification";
  readonly share?: CapabilityShare;
  /** Makes the schema, or returns the one it made. */
  readonly params: () => z.ZodType<Params>;
  readonly handle: (
    params: Params,
    context: MethodContext,
    services: Services,
  ) => Promise<object | void> | object | void;
};

export function defineMethod<Params>(definition: Definition<Params>): Method<Services> {
  const { name, aliases = [], kind = "request", share, params: schema, handle } = definition;
  return {
    name,
    aliases,
    kind,
    ...(share === undefined ? {} : { share }),
    call: async (params, context, services) =>
      (await handle(parseParams(schema(), params), context, services)) ?? {},
  };
}
