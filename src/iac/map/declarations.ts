// One Terraform module out of its parsed files.

import type { Attribute, Block, Body, Expression, Traversal } from "../hcl/tree.ts";
import type { Declaration, ModuleCall, ProviderUse, TerraformFile } from "./project-index.ts";

const BLOCK_KINDS: Readonly<Record<string, Declaration["kind"]>> = {
  variable: "variable",
  output: "output",
  module: "module",
  resource: "resource",
  data: "data",
  ephemeral: "ephemeral",
};
const PREFIX: Readonly<Record<Declaration["kind"], string>> = {
  variable: "var.",
  local: "local.",
  output: "output.",
  module: "module.",
  resource: "",
  data: "data.",
  ephemeral: "ephemeral.",
};

/** Everything the files declare, in the order of the files. Blocks without the labels they need declare nothing. */
export function declarationsOf(files: readonly TerraformFile[]): Declaration[] {
  const found: Declaration[] = [];
  for (const { role, hcl, path } of files) {
    if (role !== "module") continue;
    for (const block of hcl.body.blocks) {
      if (block.name === "locals") addLocals(block, path, found);
      else addBlock(block, path, found);
    }
  }
  return found;
}

function addLocals(block: Block, file: string, found: Declaration[]): void {
  for (const { name, nameSpan, value } of block.body.attributes) {
    const { references } = value;
    found.push({ address: `local.${name}`, kind: "local", file, span: nameSpan, references });
  }
}

function addBlock(block: Block, file: string, found: Declaration[]): void {
  // `check` blocks may hold a data block that only they can see; it is not declared in the module.
  const kind = BLOCK_KINDS[block.name];
  const [first, second] = block.labels;
  if (kind === undefined || first === undefined) return;
  const hasOneLabel = kind === "variable" || kind === "output" || kind === "module";
  if (!hasOneLabel && second === undefined) return;
  const address = PREFIX[kind] + (hasOneLabel ? first : `${first}.${second}`);
  const references = referencesIn(block.body);
  found.push({ address, kind, file, span: block.nameSpan, block, references });
}

/** Every reference of a body, nested blocks included. */
export function referencesIn(body: Body): readonly Traversal[] {
  const found: Traversal[] = [];
  collect(body, found);
  return found;
}

function collect(body: Body, found: Traversal[]): void {
  for (const { value } of body.attributes) for (const each of value.references) found.push(each);
  for (const block of body.blocks) collect(block.body, found);
}

export function attributeOf(body: Body, name: string): Attribute | undefined {
  return body.attributes.find((attribute) => attribute.name === name);
}

/** The value of a literal string attribute. */
export function textOf(body: Body, name: string): string | undefined {
  return literalText(attributeOf(body, name)?.value);
}

function literalText(value: Expression | undefined): string | undefined {
  return typeof value?.value === "string" ? value.value : undefined;
}

type CallContext = {
  readonly declarations: readonly Declaration[];
  readonly files: readonly TerraformFile[];
  /** Those that hold Terraform files, to tell where a local source leads. */
  readonly directories: ReadonlySet<string>;
};

/** The calls of a module; an override file may change where one leads. */
export function callsOf(directory: string, context: CallContext): ModuleCall[] {
  return context.declarations.flatMap((declaration) => {
    if (declaration.kind !== "module" || declaration.block === undefined) return [];
    const name = declaration.address.slice("module.".length);
    const bodies = [...overridesOf(context.files, "module", name), declaration.block].map(
      ({ body }) => body,
    );
    const source = firstText(bodies, "source");
    const target = source === undefined ? undefined : localDirectory(directory, source);
    const isHere = target !== undefined && context.directories.has(target);
    const version = firstText(bodies, "version");
    return [{ name, source, version, ...(isHere ? { directory: target } : {}), declaration }];
  });
}

function firstText(bodies: readonly Body[], name: string): string | undefined {
  const body = bodies.find((each) => attributeOf(each, name) !== undefined);
  return body === undefined ? undefined : textOf(body, name);
}

/** What override files add to a block. */
export function overridesOf(files: readonly TerraformFile[], type: string, label: string): Block[] {
  return files
    .filter(({ role }) => role === "override")
    .flatMap(({ hcl }) =>
      hcl.body.blocks.filter((block) => block.name === type && block.labels[0] === label),
    );
}

/** Where `./x` or `../x` leads, from the root; `undefined` for remote sources and for paths that leave the project. */
export function localDirectory(from: string, source: string): string | undefined {
  if (!/^\.\.?(?:\/|$)/.test(source)) return undefined;
  const parts = from === "" ? [] : from.split("/");
  for (const part of source.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

const blocksNamed = (files: readonly TerraformFile[], name: string): Block[] =>
  files
    .filter(({ role }) => role === "module" || role === "override")
    .flatMap(({ hcl }) => hcl.body.blocks.filter((block) => block.name === name));

/** Providers that are required, configured or locked, by local name. */
export function providersOf(files: readonly TerraformFile[]): ProviderUse[] {
  const uses = new Map<string, ProviderUse>();
  for (const block of blocksNamed(files, "provider")) {
    const [name] = block.labels;
    const constraint = textOf(block.body, "version");
    if (name !== undefined)
      uses.set(name, { name, ...(constraint === undefined ? {} : { constraint }) });
  }
  for (const terraform of blocksNamed(files, "terraform"))
    for (const block of terraform.body.blocks.filter(({ name }) => name === "required_providers"))
      for (const attribute of block.body.attributes)
        uses.set(attribute.name, { ...uses.get(attribute.name), ...requirement(attribute) });
  const locked = lockedVersions(files);
  return [...uses.values()].map((use) => {
    const version = locked.get(use.source ?? `hashicorp/${use.name}`);
    return version === undefined ? use : { ...use, locked: version };
  });
}

function requirement({ name, value }: Attribute): ProviderUse {
  const member = (key: string) =>
    literalText(value.entries?.find((entry) => entry.key === key)?.value);
  const source = member("source");
  const constraint = member("version") ?? literalText(value);
  return {
    name,
    ...(source === undefined ? {} : { source }),
    ...(constraint === undefined ? {} : { constraint }),
  };
}

/** `hashicorp/aws` → `5.1.0`; the registry's host in front of the address is left off. */
function lockedVersions(files: readonly TerraformFile[]): ReadonlyMap<string, string> {
  const versions = new Map<string, string>();
  for (const file of files) {
    if (file.role !== "lock") continue;
    for (const { labels, body } of file.hcl.body.blocks) {
      const version = textOf(body, "version");
      const address = labels[0]?.split("/").slice(-2).join("/");
      if (address !== undefined && version !== undefined) versions.set(address, version);
    }
  }
  return versions;
}

/** The state's home, and the version that the module asks for. */
export function settingsOf(files: readonly TerraformFile[]): {
  readonly backend?: string;
  readonly requiredVersion?: string;
} {
  let backend: string | undefined;
  let requiredVersion: string | undefined;
  for (const { body } of blocksNamed(files, "terraform")) {
    requiredVersion ??= textOf(body, "required_version");
    for (const block of body.blocks) {
      if (block.name === "backend") backend ??= block.labels[0];
      if (block.name === "cloud") backend ??= "cloud";
    }
  }
  return {
    ...(backend === undefined ? {} : { backend }),
    ...(requiredVersion === undefined ? {} : { requiredVersion }),
  };
}
