// iac_schema: what a resource type really has: arguments, nested blocks, what is required. From the installed provider
// where init has run, else from the bundled index, else it says that it does not know.

import { z } from "zod";
import { indexProject } from "../iac/map.ts";
import type { ProjectIndex } from "../iac/map/project-index.ts";
import { BUNDLED_SOURCES, openBundled } from "../iac/schema/bundled.ts";
import { describeType, similarTypeNames } from "../iac/schema/describe.ts";
import { localNameOfType, providerUse, speaksFor } from "../iac/schema/provider-of.ts";
import type { SchemaIndex } from "../iac/schema/schema-index.ts";
import { cancelled, codeContent } from "./answers.ts";
import { cacheDirOf, installedSchemas, type SchemaPlace } from "./iac-programs/provider-schemas.ts";
import { toAccess, toToolPath } from "./tool-path.ts";
import { defineTool, type ToolContext, type ToolResult } from "./tool.ts";

const MAX_KINDS = 5;

type Asked = {
  readonly type: string;
  readonly provider: string | undefined;
  readonly version: string | undefined;
  readonly path: readonly string[];
};

export const iacSchema = defineTool({
  name: "iac_schema",
  kind: "read",
  description:
    "Look up what a resource type really has before writing it: required and optional arguments, nested blocks, what only the provider sets, deprecated and sensitive ones. Terraform types (aws_instance, data.aws_ami, provider.aws) come from the installed provider where init has run, else from a bundled index; also CloudFormation (AWS::S3::Bucket), ROS (ALIYUN::ECS::Instance) and Kubernetes (apps/v1/Deployment or Deployment). path looks inside a nested block (root_block_device, spec.template.spec) or at one argument. For a name that does not exist the nearest real ones are named.",
  args: z.object({
    type: z
      .string()
      .min(1)
      .max(200)
      .describe("aws_instance, data.aws_ami, AWS::S3::Bucket, Deployment"),
    provider: z
      .string()
      .max(200)
      .optional()
      .describe("Source such as hashicorp/aws. Default: what the project requires."),
    version: z.string().max(50).optional().describe("The provider version that is meant."),
    path: z
      .string()
      .max(500)
      .optional()
      .describe("Dotted: root_block_device or spec.template.spec."),
  }),
  open: async ({ type, provider, version, path }, place) => {
    const root = await toToolPath(".", place);
    if (typeof root === "string") return root;
    const steps = (path ?? "").split(".").filter((step) => step !== "");
    const asked = { type: type.trim(), provider, version, path: steps };
    return {
      title: `Schema of ${[asked.type, ...steps].join(".")}`,
      access: { type: "read", paths: [toAccess(root)] },
      execute: (context) => run(root.realPath, asked, context),
    };
  },
});

async function run(root: string, asked: Asked, context: ToolContext): Promise<ToolResult> {
  const { signal } = context;
  try {
    const text = await answer(root, asked, context);
    return signal.aborted ? cancelled() : { ok: true, text, content: codeContent(text) };
  } catch (error) {
    // Aborting is the one way that the index rejects; anything else is a defect of ours and flies on.
    if (!signal.aborted) throw error;
    return cancelled();
  }
}

async function answer(root: string, asked: Asked, context: ToolContext): Promise<string> {
  if (asked.type.includes("::")) {
    const isRos = /^(?:ALIYUN|DATASOURCE)::/.test(asked.type);
    return fromBundled(isRos ? "ros" : "cloudformation", asked);
  }
  if (/^(?:[\w.-]+[/ ])*[A-Z]\w*$/.test(asked.type)) return kubernetesAnswer(asked);
  return terraformAnswer(root, asked, context);
}

async function fromBundled(source: string, asked: Asked): Promise<string> {
  const index = await openBundled(source);
  return index === undefined ? unknownProvider(source) : describe(index, asked, bundledLine(index));
}

/** A kind alone may be served by several API versions. */
async function kubernetesAnswer(asked: Asked): Promise<string> {
  const index = await openBundled("kubernetes-api");
  if (index === undefined) return unknownProvider("kubernetes-api");
  const wanted = asked.type.replaceAll(" ", "/");
  const types = index.typeNames.filter((name) => name === wanted || name.endsWith(`/${wanted}`));
  const chosen = types.length === 0 ? [wanted] : types.slice(0, MAX_KINDS);
  return chosen.map((type) => describe(index, { ...asked, type }, bundledLine(index))).join("\n\n");
}

async function terraformAnswer(root: string, asked: Asked, context: ToolContext): Promise<string> {
  const { signal, isPathDenied } = context;
  const index = await indexProject(
    root,
    signal,
    isPathDenied === undefined ? {} : { isDenied: isPathDenied },
  );
  const type = asked.type.replace(/^resource\./, "");
  const source = sourceOf(index, type, asked.provider);
  const installed = await fromInstalled(root, source, index, context);
  if (typeof installed === "object")
    return describe(
      installed.schema,
      { ...asked, type },
      `${source} ${installed.schema.version}, the installed provider of ${installed.directory || "."}`,
    );
  const bundled = await openBundled(source);
  if (bundled === undefined) return unknownProvider(source, installed);
  const line = bundledLine(bundled);
  const wanted = wantedVersion(index, source, asked.version);
  const isOther = wanted !== undefined && !speaksFor(bundled, { name: source, ...wanted });
  const caution = isOther
    ? `\nThis is not the version that is used or asked for (${wanted.locked ?? wanted.constraint}): names may differ.`
    : "";
  return describe(bundled, { ...asked, type }, `${line}${caution}`);
}

/** Source address without a host, by what was asked for, by the project, or by the type's first word. */
function sourceOf(index: ProjectIndex, type: string, asked: string | undefined): string {
  if (asked?.includes("/") === true) return asked.split("/").slice(-2).join("/");
  const localName = asked ?? localNameOfType(type.replace(/^(?:data|ephemeral|provider)\./, ""));
  const using = index.modules.find(({ providers }) =>
    providers.some(({ name }) => name === localName),
  );
  const module = using ?? index.modules[0];
  if (module !== undefined) return providerUse(index, module, localName).source;
  return localName === "terraform" ? "builtin/terraform" : `hashicorp/${localName}`;
}

function wantedVersion(
  { modules }: ProjectIndex,
  source: string,
  asked: string | undefined,
): { readonly locked?: string; readonly constraint?: string } | undefined {
  if (asked !== undefined)
    return /^[\d.]+$/.test(asked) ? { locked: asked } : { constraint: asked };
  return modules
    .flatMap(({ providers }) => providers)
    .find((use) => (use.source ?? `hashicorp/${use.name}`).endsWith(source));
}

/** The first module that has the provider locked; a text or nothing says why there is none. */
async function fromInstalled(
  root: string,
  source: string,
  { modules }: ProjectIndex,
  context: ToolContext,
): Promise<{ readonly schema: SchemaIndex; readonly directory: string } | string | undefined> {
  const { iacBinary: binary } = context.settings;
  const place: SchemaPlace = {
    root,
    env: process.env,
    signal: context.signal,
    cacheDir: cacheDirOf(context),
    ...(binary === undefined ? {} : { binary }),
  };
  const having = modules.filter(({ providers }) =>
    providers.some(
      (use) => use.locked !== undefined && (use.source ?? `hashicorp/${use.name}`).endsWith(source),
    ),
  );
  let reason: string | undefined;
  for (const module of having) {
    const schemas = await installedSchemas(module, place);
    if (typeof schemas === "string") reason = schemas;
    else {
      const schema = schemas.find((each) => each.source === source);
      if (schema !== undefined) return { schema, directory: module.directory };
    }
  }
  return reason;
}

function bundledLine({ version, origin, hasMarks }: SchemaIndex): string {
  const marks = hasMarks ? "" : "; deprecated and sensitive arguments are not marked in it";
  return `the bundled index of ${version}, from ${origin}${marks}`;
}

function describe(index: SchemaIndex, { type, path }: Asked, origin: string): string {
  const described = describeType(index, type, path);
  if (described !== undefined) return `${described.text}\n(${origin})`;
  const similar = similarTypeNames(index, type);
  const hint = similar.length === 0 ? "" : ` Similar types: ${similar.join(", ")}.`;
  return `There is no type ${type} in ${index.source}.${hint}\n(${origin})`;
}

function unknownProvider(source: string, reason?: string): string {
  const why = reason === undefined ? "" : ` (the installed provider could not be asked: ${reason})`;
  return `The schema of ${source} is not known here${why}. Run \`terraform init\` in a module that requires it and ask again, or read the provider's documentation; do not guess. Bundled are: ${BUNDLED_SOURCES.join(", ")}.`;
}
