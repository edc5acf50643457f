#!/usr/bin/env node
// What npm and npx start: finds Bun and runs the program with it. Plain JavaScript for Node 18 and later, or Bun itself.
// Bun comes from the optional dependency, else from PATH. Nothing of the folder it is started in is loaded or run:
// no .env, no bunfig.toml, no node_modules/.bin.

import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { constants as osConstants } from "node:os";
import { delimiter, dirname, isAbsolute, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const MIN_VERSION = engines.bun.replace(/^\D+/, "");
const IS_WINDOWS = process.platform === "win32";
/** The `bun` package ships a small text file in the program's place until its install script has run. */
const MIN_PROGRAM_BYTES = 1_000_000;

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    const { size } = statSync(path);
    return size >= MIN_PROGRAM_BYTES;
  } catch {
    return false; // Not there or not ours to run: the next place is tried.
  }
}

/** Bun as this package's own dependency brought it, with or without install scripts. */
function bundledBun() {
  const require = createRequire(import.meta.url);
  const file = IS_WINDOWS ? "bun.exe" : "bun";
  const candidates = [];
  try {
    const folder = dirname(require.resolve("bun/package.json"));
    candidates.push(join(folder, "bin", "bun.exe"));
    const platforms = join(dirname(folder), "@oven");
    for (const name of readdirSync(platforms)) candidates.push(join(platforms, name, "bin", file));
  } catch {
    // Optional dependencies were left out.
  }
  return candidates.find(isProgram);
}

function isOldEnough(version) {
  const [have, need] = [version, MIN_VERSION].map((text) =>
    text.split(".").map((part) => parseInt(part, 10) || 0),
  );
  for (let index = 0; index < 3; index += 1)
    if (have[index] !== need[index]) return (have[index] ?? 0) > (need[index] ?? 0);
  return true;
}

/** Bun on PATH, if it is new enough. A project's node_modules/.bin and relative entries do not count. */
function bunOnPath(tooOld) {
  const binFolder = join("node_modules", ".bin");
  for (const entry of (process.env.PATH ?? "").split(delimiter)) {
    const folder = normalize(entry);
    if (!isAbsolute(folder) || `${folder}${sep}`.includes(`${sep}${binFolder}${sep}`)) continue;
    const path = join(folder, IS_WINDOWS ? "bun.exe" : "bun");
    if (!isProgram(path)) continue;
    const version =
      spawnSync(path, ["--version"], { cwd: ROOT, encoding: "utf8" }).stdout?.trim() ?? "";
    if (isOldEnough(version)) return path;
    tooOld.push(`${path} (${version})`);
  }
  return undefined;
}

function explain(tooOld) {
  return [
    `iac-code: Bun ${MIN_VERSION} or later is needed and was not found.`,
    ...(tooOld.length === 0 ? [] : [`Too old: ${tooOld.join(", ")}.`]),
    "Either install this package with its optional dependencies (npm install --include=optional iac-code),",
    "or install Bun (npm install --global bun, or https://bun.com/docs/installation),",
    "or use the standalone program of a release, which needs neither Node nor Bun.",
    "",
  ].join("\n");
}

const tooOld = [];
const bun =
  process.versions.bun && isOldEnough(process.versions.bun)
    ? process.execPath
    : (bundledBun() ?? bunOnPath(tooOld));
if (bun === undefined) {
  process.stderr.write(explain(tooOld));
  process.exitCode = 1;
} else {
  const { BUN_OPTIONS: _, ...env } = process.env;
  const child = spawn(
    bun,
    [
      "--no-env-file",
      `--config=${join(ROOT, "bin", "no-bunfig.toml")}`,
      join(ROOT, "src", "main.ts"),
      ...process.argv.slice(2),
    ],
    { stdio: "inherit", env },
  );
  // The terminal sends Ctrl-C to the whole group itself; a signal sent to this process alone is passed on.
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(name, () => {
      if (!(name === "SIGINT" && process.stdin.isTTY)) child.kill(name);
    });
  child.on("error", (error) => {
    process.stderr.write(`iac-code: ${bun} could not be started: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (osConstants.signals[signal] ?? 0);
  });
}
