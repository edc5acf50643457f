// The schema indexes that come with the program: names and flags only, one packed file a provider, opened when asked for.
// docs/schema-index.md says where each is from and how they are made anew.

import archiveIndex from "./data/archive.zst" with { type: "file" };
import awsIndex from "./data/aws.zst" with { type: "file" };
import azureadIndex from "./data/azuread.zst" with { type: "file" };
import azurermIndex from "./data/azurerm.zst" with { type: "file" };
import cloudformationIndex from "./data/cloudformation.zst" with { type: "file" };
import googleIndex from "./data/google.zst" with { type: "file" };
import helmIndex from "./data/helm.zst" with { type: "file" };
import httpIndex from "./data/http.zst" with { type: "file" };
import kubernetesApiIndex from "./data/kubernetes-api.zst" with { type: "file" };
import kubernetesIndex from "./data/kubernetes.zst" with { type: "file" };
import localIndex from "./data/local.zst" with { type: "file" };
import nullIndex from "./data/null.zst" with { type: "file" };
import randomIndex from "./data/random.zst" with { type: "file" };
import rosIndex from "./data/ros.zst" with { type: "file" };
import terraformIndex from "./data/terraform.zst" with { type: "file" };
import timeIndex from "./data/time.zst" with { type: "file" };
import tlsIndex from "./data/tls.zst" with { type: "file" };
import {
  openSchemaIndex,
  schemaIndexFile,
  type SchemaIndex,
  type SchemaIndexFile,
} from "./schema-index.ts";

const FILES: ReadonlyMap<string, string> = new Map([
  ["hashicorp/archive", archiveIndex],
  ["hashicorp/aws", awsIndex],
  ["hashicorp/azuread", azureadIndex],
  ["hashicorp/azurerm", azurermIndex],
  ["cloudformation", cloudformationIndex],
  ["hashicorp/google", googleIndex],
  ["hashicorp/helm", helmIndex],
  ["hashicorp/http", httpIndex],
  ["kubernetes-api", kubernetesApiIndex],
  ["hashicorp/kubernetes", kubernetesIndex],
  ["hashicorp/local", localIndex],
  ["hashicorp/null", nullIndex],
  ["hashicorp/random", randomIndex],
  ["ros", rosIndex],
  ["builtin/terraform", terraformIndex],
  ["hashicorp/time", timeIndex],
  ["hashicorp/tls", tlsIndex],
]);

/** What `openBundled` knows: `hashicorp/aws`, `cloudformation`, `ros`, `kubernetes-api`, … */
export const BUNDLED_SOURCES: readonly string[] = [...FILES.keys()];

/** The index of a provider; `undefined` when none is bundled. Some 10 ms for the largest. */
export async function openBundled(source: string): Promise<SchemaIndex | undefined> {
  const path = FILES.get(source);
  return path === undefined ? undefined : unpackSchemaIndex(await Bun.file(path).bytes());
}

export function unpackSchemaIndex(packed: Uint8Array<ArrayBuffer>): SchemaIndex {
  return openSchemaIndex(unpackSchemaFile(packed));
}

/** Reads one packed index file. Throws when it is none: these are files of our own. */
export function unpackSchemaFile(packed: Uint8Array<ArrayBuffer>): SchemaIndexFile {
  const text = new TextDecoder().decode(Bun.zstdDecompressSync(packed));
  return schemaIndexFile.parse(JSON.parse(text));
}
