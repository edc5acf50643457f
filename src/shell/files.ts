// The files a command names: as written, seen from where the line starts, with what is at risk when they are written.

import { type CommandClass, type InnerCommand, worse } from "./analysis.ts";
import {
  fromFolder,
  isHarmlessDevice,
  isKeptByTool,
  isNetworkDevice,
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

export type Touched = {
  /** The class that the command has without its files. */
  readonly class: CommandClass;
  readonly reads: Values;
  readonly writes: Values;
  /** Names and sizes are looked at, not the content. */
  readonly namesOnly: boolean;
};

/** Looks at the files a command names. A path known only at run time cannot be checked: unknown. */
export function filesOf(scope: Scope, touched: Touched): Files {
  const { reads, writes } = touched;
  if (scope.elsewhere) return { reads: [], writes: [], floor: "read" };
  const read = seenFromStart(
    scope,
    reads.filter((path) => path === undefined || (path !== "-" && !isHarmlessDevice(path))),
  );
  const written = seenFromStart(
    scope,
    writes.filter((path) => path === undefined || (path !== "-" && !isHarmlessDevice(path))),
  );
  const connects = [...read, ...written].some(
    (path) => path !== undefined && isNetworkDevice(path),
  );
  const unsure =
    connects ||
    written.includes(undefined) ||
    (read.includes(undefined) && (touched.class === "read" || touched.class === "write"));
  const paths = { reads: known(read), writes: known(written) };
  const behind =
    touched.class === "read" && !touched.namesOnly ? paths.reads.flatMap(secretsBehind) : [];
  const risk = riskOfWriting(scope, paths.writes);
  return {
    reads: [...new Set([...paths.reads, ...behind])],
    writes: paths.writes,
    floor: unsure ? "unknown" : risk.floor,
    ...(unsure
      ? { reason: connects ? "opens a network connection" : "names a file known only at run time" }
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
  const files = filesOf(scope, { class: "read", reads, writes, namesOnly: false });
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
