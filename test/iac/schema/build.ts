// Makes src/iac/schema/data/ anew from unpacked packages; docs/schema-index.md names them. Run by hand:
// `bun test/iac/schema/build.ts <folder>` with, below the folder, `terraform/*/package` (CDK bindings of providers),
// `builtin.json` (`terraform providers schema -json` of a project that has only terraform_data), `cloudformation/` (cfn-lint's data/schemas), `kubernetes.json` (`_definitions.json`), `ros/*/package` (CDK bindings).

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { fromProviderSchemas } from "../../../src/iac/schema/from-provider.ts";
import type { SchemaIndexFile } from "../../../src/iac/schema/schema-index.ts";
import { indexRos } from "./ros-bindings.ts";
import { indexCloudFormation, indexKubernetes } from "./template-schemas.ts";
import { indexBindings } from "./terraform-bindings.ts";

const DATA = join(import.meta.dir, "../../../src/iac/schema/data");
/** The best of zstd: built once, read often. */
const LEVEL = 22;

const anObject = z.record(z.string(), z.unknown());
const jsonAt = (path: string) => anObject.parse(JSON.parse(readFileSync(path, "utf8")));
const bindingsPackage = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  cdktf: z.object({ provider: z.object({ name: z.string(), version: z.string() }) }),
});

function terraformIndex(folder: string): readonly [string, SchemaIndexFile] {
  const { name, version, license, cdktf } = bindingsPackage.parse(
    jsonAt(join(folder, "package.json")),
  );
  const source = cdktf.provider.name.replace(/^registry\.terraform\.io\//, "");
  const file = indexBindings(join(folder, "lib"), {
    source,
    version: cdktf.provider.version,
    origin: `${name} ${version} (npm, ${license})`,
  });
  return [source.split("/").at(-1) ?? source, file];
}

function cloudFormationIndex(folder: string): SchemaIndexFile {
  const first = readFileSync(join(folder, "providers/us_east_1.py"), "utf8");
  const preferred = [...first.matchAll(/"(\w{16})"/g)].map(([, hash]) => `${hash}.json`);
  const all = readdirSync(join(folder, "resources")).filter((name) => name.endsWith(".json"));
  const schemas = [...new Set([...preferred, ...all])].map((name) =>
    jsonAt(join(folder, "resources", name)),
  );
  return indexCloudFormation(schemas, {
    source: "cloudformation",
    version: "cfn-lint 1.51.0",
    origin: "cfn-lint 1.51.0 (PyPI, MIT-0)",
  });
}

function rosIndex(folder: string): SchemaIndexFile {
  const texts = readdirSync(folder)
    .toSorted()
    .flatMap((name) => {
      const lib = join(folder, name, "package/lib");
      const files = readdirSync(lib, { recursive: true, encoding: "utf8" });
      return files
        .filter((file) => file.endsWith(".generated.js"))
        .map((file) => readFileSync(join(lib, file), "utf8"));
    });
  return indexRos(texts, {
    source: "ros",
    version: "ros-cdk 1.15.0",
    origin: "ros-cdk-* 1.15.0 (PyPI, Apache-2.0)",
  });
}

/** The bytes of a bundled file. */
export function packSchemaIndex(file: SchemaIndexFile): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Bun.zstdCompressSync(JSON.stringify(file), { level: LEVEL }));
}

async function build(folder: string): Promise<void> {
  const providers = readdirSync(join(folder, "terraform")).map((name) =>
    terraformIndex(join(folder, "terraform", name, "package")),
  );
  const definitions = anObject.parse(jsonAt(join(folder, "kubernetes.json"))["$defs"]);
  const kubernetes = indexKubernetes(definitions, {
    source: "kubernetes-api",
    version: "1.37.0",
    origin: "kubernetes-validate 1.37.0 (PyPI, Apache-2.0)",
  });
  const [builtIn] = fromProviderSchemas(jsonAt(join(folder, "builtin.json")), () => "1.11.4");
  if (builtIn === undefined) throw new Error("builtin.json holds no provider");
  const files = [
    ...providers,
    ["terraform", { ...builtIn, origin: "terraform 1.11.4 providers schema" }],
    ["cloudformation", cloudFormationIndex(join(folder, "cloudformation"))],
    ["kubernetes-api", kubernetes],
    ["ros", rosIndex(join(folder, "ros"))],
  ] as const;
  for (const [name, file] of files) {
    await Bun.write(join(DATA, `${name}.zst`), packSchemaIndex(file));
  }
}

if (import.meta.main) await build(process.argv[2] ?? ".");
