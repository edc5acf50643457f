// The files a command names: as written, seen from where the line starts, with what is at risk when they are written.

import { type CommandClass, type InnerCommand, worse } from "./analysis.ts";
import {
  fromFolder,
  isHarmlessDevice,
  isKeptByTool,
  isRawDevice,
  isStateFile,
  secretsBehind,
} from "./paths.ts";
import type { Scope } from "./scope.ts";
import { emit } from "./state.ts";
import type { Values } from "./words.ts";

export type Files = {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** The least class that touching them has. */
  readonly floor: CommandClass;
  readonly reason?: string;
};

/** The paths a value may be; `undefined` in it is one known only at run time. */
function seenFromStart(scope: Scope, values: Values): Values {
  return values.flatMap((value) => {
    if (value === undefined) return [undefined];
    if (/^([/~])/.test(value)) return [value];
    return scope.state.folders.map((folder) =>
      folder === undefined ? undefined : fromFolder(folder, value),
    );
  });
}

const known = (values: Values): string[] => [...new Set(values.flatMap((value) => value ?? []))];

function riskOfWriting(
  scope: Scope,
  paths: readonly string[],
): { floor: CommandClass; reason?: string } {
  const states = paths.filter(isStateFile);
  if (states.length > 0) {
    scope.state.warnings.add(`state file at risk: ${states.join(", ")}`);
    return { floor: "destroy", reason: "overwrites or removes a Terraform state" };
  }
  if (paths.some(isRawDevice)) return { floor: "destroy", reason: "writes to a device" };
  const kept = paths.filter(isKeptByTool);
  if (kept.length > 0) {
    scope.state.warnings.add(
      `kept by terraform or git, not to be written by hand: ${kept.join(", ")}`,
    );
    return { floor: "mutate", reason: "changes files that terraform or git keep for themselves" };
  }
  return { floor: paths.length > 0 ? "write" : "read" };
}

/** Looks at the files a command of `commandClass` names. A path known only at run time cannot be checked: unknown. */
export function filesOf(
  scope: Scope,
  commandClass: CommandClass,
  reads: Values,
  writes: Values,
): Files {
  if (scope.elsewhere) return { reads: [], writes: [], floor: "read" };
  const read = seenFromStart(
    scope,
    reads.filter((path) => path === undefined || (path !== "-" && !isHarmlessDevice(path))),
  );
  const written = seenFromStart(
    scope,
    writes.filter((path) => path === undefined || !isHarmlessDevice(path)),
  );
  const unsure =
    written.includes(undefined) ||
    (read.includes(undefined) && (commandClass === "read" || commandClass === "write"));
  const paths = { reads: known(read), writes: known(written) };
  const behind = commandClass === "read" ? paths.reads.flatMap(secretsBehind) : [];
  const risk = riskOfWriting(scope, paths.writes);
  return {
    reads: [...new Set([...paths.reads, ...behind])],
    writes: paths.writes,
    floor: unsure ? "unknown" : risk.floor,
    ...(unsure
      ? { reason: "names a file known only at run time" }
      : risk.reason === undefined
        ? {}
        : { reason: risk.reason }),
  };
}

/** Lists a redirection as an entry of its own, where it touches a file. */
export function noteFiles(
  scope: Scope,
  argv: InnerCommand["argv"],
  reads: Values,
  writes: Values,
): void {
  if (reads.length + writes.length === 0) return;
  const files = filesOf(scope, "read", reads, writes);
  if (files.floor === "read" && files.reads.length === 0) return;
  const reason =
    files.reason ?? (files.writes.length > 0 ? `writes ${files.writes.join(", ")}` : undefined);
  emit(scope.state, {
    argv: [...argv, ...reads, ...writes],
    class: worse("read", files.floor),
    scope: [],
    ...(reason === undefined ? {} : { reason }),
    reads: files.reads,
    writes: files.writes,
  });
}
