// The files of packaging/ that other programs read: shell, Docker, systemd. Checked with those programs where they are there.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { PLACEHOLDER_URL } from "../../release.ts";
import { tempDir } from "../support/temp-dir.ts";

const PACKAGING = join(import.meta.dir, "../../packaging");
const read = (name: string): string => readFileSync(join(PACKAGING, name), "utf8");

test("install.sh is valid for a plain sh and names this version", () => {
  const { exitCode, stderr } = Bun.spawnSync(["sh", "-n", join(PACKAGING, "install.sh")]);
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  expect(read("install.sh")).toContain(`:-${PLACEHOLDER_URL}}`);
  expect(PLACEHOLDER_URL).toContain(version);
  expect(read("install.sh")).not.toMatch(/\bsudo\b|\blocal \w|\[\[|\beval\b/);
});

/** The instructions of a Dockerfile, comments dropped and continued lines joined. */
function instructionsOf(text: string): (readonly [name: string, rest: string])[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n/g, " ")
    .split("\n");
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const match = /^([A-Z]+) (.+)$/.exec(line);
      if (match === null) throw new Error(`Not an instruction: ${line}`);
      return [match[1] ?? "", match[2] ?? ""] as const;
    });
}

test("the image runs the HTTP server as a user of no privileges, without a way around the token", () => {
  const instructions = instructionsOf(read("Dockerfile"));
  const users = instructions.filter(([name]) => name === "USER");
  expect(users.at(-1)?.[1]).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  const entry: unknown = JSON.parse(
    instructions.find(([name]) => name === "ENTRYPOINT")?.[1] ?? "",
  );
  expect(entry).toEqual(expect.arrayContaining(["acp", "--transport", "http", "0.0.0.0"]));
  expect(read("Dockerfile")).not.toContain("--insecure");
  const known = ["FROM", "WORKDIR", "COPY", "RUN", "USER", "ENV", "VOLUME", "EXPOSE", "STOPSIGNAL"];
  for (const [name] of instructions) expect([...known, "ENTRYPOINT", "CMD"]).toContain(name);
});

test("what the image copies is let through by its ignore file", () => {
  const allowed = read("Dockerfile.dockerignore").split("\n");
  const copied = instructionsOf(read("Dockerfile"))
    .filter(([name, rest]) => name === "COPY" && !rest.startsWith("--from"))
    .flatMap(([, rest]) => rest.split(" ").slice(0, -1));
  expect(copied.length).toBeGreaterThan(3);
  for (const file of copied) expect(allowed).toContain(`!${file}`);
});

test("the systemd unit listens on loopback, needs the token and waits for a running apply", () => {
  const unit = read("iac-code@.service");
  const sections = [...unit.matchAll(/^\[(\w+)\]$/gm)].map((match) => match[1]);
  expect(sections).toEqual(["Unit", "Service", "Install"]);
  for (const line of unit.split("\n")) expect(line).toMatch(/^$|^#|^\[\w+\]$|^[A-Z]\w+=\S/);
  expect(unit).toMatch(
    /^ExecStart=\/usr\/local\/bin\/iac-code acp --transport http --host 127\.0\.0\.1 /m,
  );
  expect(unit).toMatch(/^ExecStartPre=.*IACCODE_ACP_HTTP_TOKEN/m);
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(600);
});

const analyze = Bun.which("systemd-analyze");
test.skipIf(analyze === null)(
  "systemd finds no fault in the unit, where systemd is installed",
  async () => {
    // A copy whose program and user exist here, so that only the unit itself is judged.
    const text = read("iac-code@.service")
      .replaceAll("/usr/local/bin/iac-code", "/bin/true")
      .replaceAll("%i", "daemon");
    await using folder = await tempDir({ "iac-code.service": text });
    const { stderr } = Bun.spawnSync([
      analyze ?? "",
      "verify",
      "--man=no",
      folder.file("iac-code.service"),
    ]);
    const faults = stderr
      .toString()
      .split("\n")
      .filter((line) => line.includes("iac-code.service"));
    expect(faults).toEqual([]);
  },
);
