// A shell script in terraform's place: answers from files beside the code, so that every state of the world can be played.

import { chmod } from "node:fs/promises";
import { tempDir, type TempDir } from "../support/temp-dir.ts";

/**
 * Reads `.fake/{plan.json,state.json,workspace,plan.out,plan.exit}` of the directory it runs in; `onApply` is the shell
 * text of `apply`. Every call is one line of `.fake/calls`.
 */
const script = (onApply: string) => `#!/bin/sh
echo "$*" >> .fake/calls
case "$1" in
  version) echo '{"terraform_version":"9.9.9"}' ;;
  workspace) if [ -n "$TF_WORKSPACE" ]; then echo "$TF_WORKSPACE"; else cat .fake/workspace 2>/dev/null || echo default; fi ;;
  state) cat .fake/state.json 2>/dev/null ;;
  show) cat .fake/plan.json ;;
  plan)
    for word in "$@"; do case "$word" in -out=*) echo plan > "\${word#-out=}" ;; esac; done
    cat .fake/plan.out 2>/dev/null
    exit "$(cat .fake/plan.exit 2>/dev/null || echo 2)" ;;
  apply)
${onApply}
  ;;
esac
`;

/** Puts a folder in front of PATH until disposed. Tools look programs up in the environment of the process. */
function inFrontOfPath(folder: string, isAlone: boolean): Disposable {
  const before = process.env["PATH"] ?? "";
  process.env["PATH"] = isAlone ? `${folder}:/usr/bin:/bin` : `${folder}:${before}`;
  return {
    [Symbol.dispose]: () => {
      process.env["PATH"] = before;
    },
  };
}

export type FakeTerraform = AsyncDisposable;

export async function fakeTerraform(onApply = "true"): Promise<FakeTerraform> {
  const bin: TempDir = await tempDir({ terraform: script(onApply) });
  await chmod(bin.file("terraform"), 0o755);
  const path = inFrontOfPath(bin.path, false);
  return {
    [Symbol.asyncDispose]: async () => {
      path[Symbol.dispose]();
      await bin[Symbol.asyncDispose]();
    },
  };
}

/** A PATH that has git and a shell, and neither terraform nor tofu. */
export async function noTerraform(): Promise<FakeTerraform> {
  const bin = await tempDir();
  const path = inFrontOfPath(bin.path, true);
  return {
    [Symbol.asyncDispose]: async () => {
      path[Symbol.dispose]();
      await bin[Symbol.asyncDispose]();
    },
  };
}

export async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs = 15_000,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("The condition did not hold in time");
    await Bun.sleep(10);
  }
}

/** Plan JSON with the given changes, as `[address, actions]`. */
export function planJson(
  changes: readonly (readonly [address: string, ...actions: string[]])[],
): string {
  return JSON.stringify({
    format_version: "1.2",
    planned_values: {},
    resource_changes: changes.map(([address, ...actions]) => ({
      address,
      mode: "managed",
      type: address.split(".")[0],
      name: "x",
      change: { actions, before: null, after: null },
    })),
  });
}
