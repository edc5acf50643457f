// Where a statement stands while a line is walked, and the two ways back into the walk for what it contains.

import type { ShellNode } from "./parse.ts";
import type { ShellState } from "./state.ts";
import type { Stdin } from "./unwrap.ts";

/** Where a statement stands. */
export type Scope = {
  readonly state: ShellState;
  /** The text the nodes point into. */
  readonly text: string;
  /** It may be skipped, or its effects on variables may be lost. */
  readonly conditional: boolean;
  readonly stdin: Stdin;
  /** Levels of scripts, functions and substitutions around it. */
  readonly depth: number;
  /** Names of profiles and environments chosen around it. */
  readonly places: readonly string[];
  /** It runs on another machine or in a container. */
  readonly elsewhere: boolean;
  /** Walks statements of the same text; answers what they print, where that is known. */
  readonly walkAll: (scope: Scope, nodes: readonly ShellNode[]) => Stdin;
  /** Walks a text of its own: `bash -c`, `eval`, a recipe. */
  readonly walkText: (scope: Scope, text: string) => Stdin;
};

export const UNKNOWN_INPUT: Stdin = { type: "unknown" };

/** A place whose effects on variables may be lost and whose `cd` ends with it: subshells, pipeline stages. */
export function apart(scope: Scope, walkIt: (scope: Scope) => Stdin): Stdin {
  const { folders } = scope.state;
  const output = walkIt({ ...scope, conditional: true });
  scope.state.folders = folders;
  scope.state.cdTarget = undefined;
  return output;
}
