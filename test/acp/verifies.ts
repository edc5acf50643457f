// `verifies(id, body)`: the same proof on every transport that the requirement names, against the real program, with
// every message checked against the schema.

import { test } from "bun:test";
import {
  type AcpClient,
  type AgentOptions,
  TRANSPORTS,
  type TransportName,
  openAgent,
} from "../support/acp-client.ts";
import { type FakeModel, type Scripted, fakeModel } from "../support/fake-model.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import type { Requirement } from "./requirement.ts";
import { REQUIREMENTS, type RequirementId } from "./requirements.ts";

export type Scene = {
  readonly client: AcpClient;
  readonly model: FakeModel;
  readonly project: TempDir;
  readonly transport: TransportName;
  /** Another client: of the same server where there is one, of a new process with the same home on stdio. */
  readonly another: () => Promise<AcpClient>;
};

export type SceneOptions = {
  readonly replies?: readonly Scripted[];
  readonly files?: Readonly<Record<string, string>>;
  readonly agent?: AgentOptions;
  /** The user's config.json. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The endpoint is not configured: the offline model answers. */
  readonly withoutModel?: boolean;
};

/** For one scene, from the moment it has a place. */
const SCENE_MS = 60_000;
/** With the wait for a place: that is as long as the scenes before it take together. */
const TEST_MS = 600_000;

/** Programs that run at once. More of them only make each other wait, and then time limits mean nothing. */
const SCENES_AT_ONCE = 6;
let free = SCENES_AT_ONCE;
const waiting: (() => void)[] = [];

/** Runs `work` when a place is free. Rejects when it takes longer than a scene may. */
async function inTurn(work: () => Promise<void>): Promise<void> {
  if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
  else free -= 1;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`The scene did not end within ${SCENE_MS / 1_000} s`)),
    SCENE_MS,
  );
  try {
    await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }
}

/** Registers one test a transport. */
export function verifies(
  id: RequirementId,
  options: SceneOptions,
  body: (scene: Scene) => Promise<void>,
): void {
  const { rule, transports = TRANSPORTS }: Requirement = REQUIREMENTS[id];
  for (const transport of transports) {
    test.concurrent(
      `${id} (${transport}): ${rule}`,
      () => inTurn(() => runScene(transport, options, body)),
      TEST_MS,
    );
  }
}

/** Registers one test, on stdio alone: for what is decided the same way whatever carries it. */
export function onStdio(
  name: string,
  options: SceneOptions,
  body: (scene: Scene) => Promise<void>,
): void {
  test.concurrent(name, () => inTurn(() => runScene("stdio", options, body)), TEST_MS);
}

async function runScene(
  transport: TransportName,
  options: SceneOptions,
  body: (scene: Scene) => Promise<void>,
): Promise<void> {
  await using project = await tempDir(
    options.files ?? { "main.tf": 'resource "terraform_data" "x" {\n  input = "one"\n}\n' },
  );
  await using model = await fakeModel(options.replies ?? []);
  await using others = new AsyncDisposableStack();
  const env = { ...(options.withoutModel === true ? {} : model.env()), ...options.agent?.env };
  await using home = await tempDir(
    options.config === undefined ? {} : { ".iac-code/config.json": JSON.stringify(options.config) },
  );
  const place = options.config === undefined ? {} : { home: home.path };
  await using client = await openAgent(transport, { ...options.agent, ...place, env });
  const another = async (): Promise<AcpClient> => {
    const opened = await openAnother(transport, client, { ...options.agent, env });
    others.use(opened);
    return opened;
  };
  await body({ client, model, project, transport, another });
  client.assertConformant();
  model.assertValid();
}

async function openAnother(
  transport: TransportName,
  first: AcpClient,
  options: AgentOptions,
): Promise<AcpClient> {
  if (transport === "stdio") return openAgent("stdio", { ...options, home: first.process.home });
  const { AcpClient: Client } = await import("../support/acp-client.ts");
  return Client.open(transport, first.process);
}
