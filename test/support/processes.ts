// Which processes run, by their command line (Linux).

import { readdirSync, readFileSync } from "node:fs";

/** Processes other than this one whose command line holds `mark`. */
export function processesWith(mark: string): { readonly pid: number; readonly line: string }[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      return line.includes(mark) ? [{ pid: Number(name), line }] : [];
    } catch {
      // It ended while we looked.
      return [];
    }
  });
}
