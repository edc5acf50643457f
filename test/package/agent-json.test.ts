// The entry for the ACP registry: the registry's rules for it, stated here, and that it stays in step with the program.
// https://agentclientprotocol.com/get-started/registry

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { z } from "zod";
import { PLACEHOLDER_URL, TARGETS, registryEntry } from "../../release.ts";

const ROOT = join(import.meta.dir, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const pkg = z
  .object({ name: z.string(), version: z.string() })
  .parse(JSON.parse(read("package.json")));

const strings = { type: "array", items: { type: "string" } };
const text = { type: "string", minLength: 1 };
const uri = { type: "string", pattern: "^https://[^\\s]+$" };

/** What a registry entry must be; nothing beside what is named here. */
const SCHEMA = {
  type: "object",
  required: ["id", "name", "version", "description", "license_url", "distribution"],
  additionalProperties: false,
  properties: {
    id: { type: "string", pattern: "^[a-z][a-z0-9-]*$" },
    name: text,
    version: { type: "string", pattern: "^[0-9]+\\.[0-9]+\\.[0-9]+$" },
    description: text,
    repository: uri,
    website: uri,
    authors: { ...strings, minItems: 1 },
    license: text,
    license_url: uri,
    icon: text,
    distribution: {
      type: "object",
      minProperties: 1,
      additionalProperties: false,
      properties: {
        binary: {
          type: "object",
          minProperties: 1,
          propertyNames: { pattern: "^(darwin|linux|windows)-(aarch64|x86_64)$" },
          additionalProperties: {
            type: "object",
            required: ["archive", "cmd"],
            additionalProperties: false,
            properties: {
              archive: {
                type: "string",
                pattern: "^https://.+\\.(zip|tar\\.gz|tgz|tar\\.bz2|tbz2)$",
              },
              sha256: { type: "string", pattern: "^[a-f0-9]{64}$" },
              cmd: text,
              args: strings,
              env: { type: "object", additionalProperties: { type: "string" } },
            },
          },
        },
        npx: {
          type: "object",
          required: ["package"],
          additionalProperties: false,
          properties: { package: text, cmd: text, args: strings },
        },
      },
    },
  },
};

const isValid = new Ajv().compile(SCHEMA);

test("packaging/agent.json is what the ACP registry wants", () => {
  const entry: unknown = JSON.parse(read("packaging/agent.json"));
  expect([isValid(entry), isValid.errors]).toEqual([true, null]);
});

test("packaging/agent.json is of the package's version, everywhere it names one, and covers every system", () => {
  const entry: unknown = JSON.parse(read("packaging/agent.json"));
  expect(entry).toEqual(registryEntry(PLACEHOLDER_URL));
  expect(entry).toMatchObject({
    id: pkg.name,
    distribution: { npx: { package: `${pkg.name}@${pkg.version}`, args: ["acp"] } },
  });
  expect(JSON.stringify(entry)).not.toContain("latest");
});

test("a release writes its own addresses and sums into the entry", () => {
  const sum = "a".repeat(64);
  const entry = registryEntry("https://dl.example.org/1", new Map([["linux-x64", sum]]));
  expect(isValid(entry)).toBe(true);
  expect(entry).toMatchObject({
    distribution: {
      binary: {
        "linux-x86_64": {
          archive: `https://dl.example.org/1/iac-code-v${pkg.version}-linux-x64.tar.gz`,
          sha256: sum,
        },
      },
    },
  });
  // Only what was built, and nothing of the place that stands in the repository.
  expect(JSON.stringify(entry)).not.toMatch(/darwin|windows/);
  expect(JSON.stringify(entry)).not.toContain(PLACEHOLDER_URL);
});

test("the icon is a square of 16 pixels in one colour, the reader's", () => {
  const svg = read("packaging/icon.svg");
  expect(svg).toMatch(
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="16" height="16" viewBox="0 0 16 16"/,
  );
  const colours = [...svg.matchAll(/(?:fill|stroke)="([^"]+)"/g)].map((match) => match[1]);
  expect(new Set(colours)).toEqual(new Set(["none", "currentColor"]));
  expect(svg).not.toMatch(/style=|<script|href=|#[0-9a-f]{3}/i);
});

test("the release knows every target that is promised", () => {
  expect(Object.keys(TARGETS).toSorted()).toEqual([
    "darwin-arm64",
    "darwin-x64",
    "linux-arm64",
    "linux-arm64-musl",
    "linux-x64",
    "linux-x64-musl",
    "windows-arm64",
    "windows-x64",
  ]);
});
