// What a plan was made from, as files: its fingerprint, its backend, and who else may be in charge of applying it.

import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { parseHcl } from "../iac/hcl/parse.ts";
import { isRecord, parseJson } from "../lib/json.ts";
import { isInside } from "../lib/path-inside.ts";

const CODE = /\.(?:tf|tofu|tf\.json|tofu\.json|tfvars|tfvars\.json|tftpl|tpl)$/;
/** Of the data directory: which backend and workspace are selected. */
const BACKEND_FILE = "terraform.tfstate";
const WORKSPACE_FILE = "environment";
const MAX_MODULES = 500;
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Where init keeps what it made; the user may have moved it. */
function dataPath(directory: string, ...names: readonly string[]): string {
  return join(resolve(directory, process.env["TF_DATA_DIR"] ?? ".terraform"), ...names);
}

const moduleList = z.object({ Modules: z.array(z.object({ Dir: z.string() })) });

/** SHA-256 over the code of the directory and of every module it uses, var files, lock, backend and workspace. */
export async function hashCode(directory: string, varFiles: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  const directories = [directory, ...(await moduleDirectories(directory))];
  const code = await Promise.all(directories.map(codeFilesIn));
  const files = [
    ...code.flat(),
    join(directory, ".terraform.lock.hcl"),
    dataPath(directory, BACKEND_FILE),
    dataPath(directory, WORKSPACE_FILE),
    ...varFiles,
  ];
  for (const file of [...new Set(files)].toSorted()) {
    hash.update(`${file}\0`);
    const bytes = await readQuietly(file);
    hash.update(bytes === undefined ? "-" : `${bytes.length}\0`);
    if (bytes !== undefined) hash.update(bytes);
  }
  return hash.digest("hex");
}

async function moduleDirectories(directory: string): Promise<string[]> {
  const text = await readQuietly(dataPath(directory, "modules", "modules.json"));
  const list = text === undefined ? undefined : moduleList.safeParse(parseJson(text.toString()));
  const found = list?.data?.Modules.map(({ Dir }) => join(directory, Dir)) ?? [];
  return found.filter((each) => each !== directory).slice(0, MAX_MODULES);
}

async function codeFilesIn(directory: string): Promise<string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => CODE.test(name)).map((name) => join(directory, name));
  } catch {
    // A module that is not there: planning says so; here it is the same as no file.
    return [];
  }
}

async function readQuietly(file: string): Promise<Buffer | undefined> {
  try {
    const { size } = await stat(file);
    return size > MAX_FILE_BYTES ? Buffer.from(`size ${size}`) : await readFile(file);
  } catch {
    // Not there is a state like any other, and part of the fingerprint.
    return undefined;
  }
}

/** Settings of backends that name a place; credentials stand in others. */
const BACKEND_KEYS = new Set(
  "bucket key prefix path region container_name storage_account_name organization hostname workspace_key_prefix namespace secret_suffix address schema_name".split(
    " ",
  ),
);

/** `s3 (bucket acme-state, key prod/net.tfstate)`, from what init wrote; `local` without it. */
export async function describeBackend(directory: string): Promise<string> {
  const text = await readQuietly(dataPath(directory, BACKEND_FILE));
  const json = text === undefined ? undefined : parseJson(text.toString());
  const backend = isRecord(json) ? json["backend"] : undefined;
  if (!isRecord(backend) || typeof backend["type"] !== "string") return "local";
  const config = isRecord(backend["config"]) ? backend["config"] : {};
  const settings = Object.entries(config).flatMap(([name, value]) =>
    BACKEND_KEYS.has(name) && typeof value === "string" && value !== ""
      ? [`${name} ${withoutUser(value)}`]
      : [],
  );
  return settings.length === 0 ? backend["type"] : `${backend["type"]} (${settings.join(", ")})`;
}

/** An address may carry a name and a password. */
const withoutUser = (value: string): string => value.replace(/\/\/[^/@]*@/, "//");

const PIPELINES: readonly (readonly [file: string, name: string])[] = [
  ["atlantis.yaml", "Atlantis"],
  ["atlantis.yml", "Atlantis"],
  ["digger.yml", "Digger"],
  ["digger.yaml", "Digger"],
  [".spacelift/config.yml", "Spacelift"],
  [".terrateam/config.yml", "Terrateam"],
  ["env0.yml", "env0"],
  ["env0.yaml", "env0"],
];

/**
 * `Atlantis (atlantis.yaml)` or `HCP Terraform (cloud block in main.tf)` where something else applies this project, looked
 * for from the directory up to `root`.
 */
export async function findPipeline(directory: string, root: string): Promise<string | undefined> {
  for (const folder of foldersUpTo(directory, root))
    for (const [file, name] of PIPELINES)
      if ((await readQuietly(join(folder, file))) !== undefined) return `${name} (${file})`;
  for (const file of await codeFilesIn(directory)) {
    if (!/\.(?:tf|tofu)$/.test(file)) continue;
    const text = (await readQuietly(file))?.toString() ?? "";
    const cloud = /\b(?:cloud|backend)\b/.test(text) ? remoteRunner(text) : undefined;
    if (cloud !== undefined)
      return `HCP Terraform (${cloud} in ${file.slice(directory.length + 1)})`;
  }
  return undefined;
}

function foldersUpTo(directory: string, root: string): string[] {
  const folders = [directory];
  let current = directory;
  while (current !== root && isInside(root, dirname(current)) && dirname(current) !== current) {
    current = dirname(current);
    folders.push(current);
  }
  return folders;
}

function remoteRunner(text: string): string | undefined {
  const settings = parseHcl(text).body.blocks.filter(({ name }) => name === "terraform");
  for (const { body } of settings)
    for (const { name, labels } of body.blocks) {
      if (name === "cloud") return "cloud block";
      if (name === "backend" && labels[0] === "remote") return "remote backend";
    }
  return undefined;
}
