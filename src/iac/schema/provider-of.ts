// Which provider, in which version, a Terraform block belongs to, and whether an index speaks for that version.

import type { Block } from "../hcl/tree.ts";
import { attributeOf } from "../map/declarations.ts";
import type { ProjectIndex, ProviderUse, TerraformModule } from "../map/project-index.ts";
import { satisfies } from "../versions.ts";
import type { SchemaIndex } from "./schema-index.ts";

/** The provider of terraform_data and terraform_remote_state. */
const BUILT_IN = "builtin/terraform";

/** The provider's local name: of a provider block its label, else by the `provider` argument or the type's first word. */
export function localNameOf({ name, labels, body }: Block): string {
  if (name === "provider") return labels[0] ?? "";
  const named = attributeOf(body, "provider")?.value.references[0]?.steps[0];
  return named ?? localNameOfType(labels[0] ?? "");
}

export const localNameOfType = (type: string): string => type.split("_", 1)[0] ?? type;

/** The use of a provider by a module; versions locked by any root module count for modules without a lock of their own. */
export function providerUse(
  { modules }: Pick<ProjectIndex, "modules">,
  module: TerraformModule,
  localName: string,
): ProviderUse & { readonly source: string } {
  const own = module.providers.find(({ name }) => name === localName);
  const source =
    own?.source === undefined
      ? localName === "terraform"
        ? BUILT_IN
        : `hashicorp/${localName}`
      : own.source.split("/").slice(-2).join("/");
  const locked =
    own?.locked ??
    modules
      .flatMap(({ providers }) => providers)
      .find((use) => (use.source ?? `hashicorp/${use.name}`).endsWith(source) && use.locked)
      ?.locked;
  return {
    ...(own ?? { name: localName }),
    source,
    ...(locked === undefined ? {} : { locked }),
  };
}

/**
 * Whether what is not in `index` does not exist in the provider that will be used: the locked version is of the same
 * major version and not newer, or the constraint lets the index's version in.
 */
export function speaksFor({ version, source }: SchemaIndex, use: ProviderUse): boolean {
  if (source === BUILT_IN) return true;
  if (use.locked !== undefined) {
    const major = use.locked.split(".", 1)[0] ?? "";
    return satisfies(version, `>= ${use.locked}, ~> ${major}.0`) === true;
  }
  return use.constraint === undefined || satisfies(version, use.constraint) === true;
}
