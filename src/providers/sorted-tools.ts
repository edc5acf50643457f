// The order of tools in every request. Pure.

import type { ToolSpec } from "./provider.ts";

/** By name, so that the order they were given in never changes a request's bytes and costs the prompt cache. */
export function sortedTools(tools: readonly ToolSpec[]): readonly ToolSpec[] {
  return tools.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
