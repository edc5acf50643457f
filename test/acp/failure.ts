// The error answer of a request that must fail.

import { RpcFailure } from "../support/acp-client.ts";

export async function failure(promise: Promise<unknown>): Promise<RpcFailure> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof RpcFailure) return error;
    throw error;
  }
  throw new Error("Expected an error answer");
}

/** The only key of an error's data. */
export function fieldsOf(error: RpcFailure): string[] {
  return Object.keys((error.data ?? {}) as object);
}
