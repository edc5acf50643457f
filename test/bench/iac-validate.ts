// The map and the fast validation of 5,000 blocks (about 1.9 MB) beside `terraform validate` and `terraform fmt -check` of
// the same files, in the same run. The reference uses terraform_data, whose schema is built in: nothing is downloaded.

import { indexProject } from "../../src/iac/map.ts";
import { fastValidate } from "../../src/iac/validate.ts";
import { tempDir } from "../support/temp-dir.ts";
import type { Row } from "./row.ts";
import { measureMap } from "./support-iac.ts";

const BLOCKS = 5_000;
const FILES = 100;
const RUNS = 9;
/** The promise, in milliseconds. */
const FAST_LIMIT_MS = 1_000;

/** One root module: resources of a built-in type that refer to one another. */
export function builtInProject(blocks = BLOCKS): Record<string, string> {
  const perFile = blocks / FILES;
  const files: Record<string, string> = {
    "variables.tf": 'variable "env" {\n  type        = string\n  description = "The stage."\n}\n',
  };
  for (let file = 0; file < FILES; file += 1)
    files[`file${file}.tf`] = Array.from({ length: perFile }, (_, index) =>
      resource(file, index),
    ).join("\n");
  return files;
}

function resource(file: number, index: number): string {
  const before = index === 0 ? "" : `\n    previous    = terraform_data.r${file}_${index - 1}.id`;
  return `resource "terraform_data" "r${file}_${index}" {
  input = {
    name        = "service-r${file}_${index}-\${var.env}"
    description = "Managed record of the service r${file}_${index}, generated for measuring"
    ports       = [${1000 + index}, ${2000 + index}]
    networks    = ["10.0.0.0/16", "10.1.0.0/16"]
    tags        = { Name = "r${file}_${index}", Environment = var.env, Owner = "platform" }${before}
  }
}
`;
}

type Times = Pick<Row, "median" | "min" | "max">;

async function measure(run: () => unknown): Promise<Times> {
  const times: number[] = [];
  for (let left = RUNS; left > 0; left -= 1) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { median: times[RUNS >> 1] ?? 0, min: times[0] ?? 0, max: times.at(-1) ?? 0 };
}

async function terraform(cwd: string, args: readonly string[]): Promise<void> {
  const env = { ...process.env, CHECKPOINT_DISABLE: "1", TF_IN_AUTOMATION: "1" };
  await Bun.spawn(["terraform", ...args], { cwd, env, stdout: "ignore", stderr: "ignore" }).exited;
}

/** Rows of the table that `bun run bench iac-validate` prints; the references need terraform. */
export async function bench(): Promise<Row[]> {
  await using dir = await tempDir(builtInProject());
  const { signal } = new AbortController();
  const hasTerraform = Bun.which("terraform") !== null;
  const reference = async (name: string, args: readonly string[]) =>
    hasTerraform
      ? { reference: { name, median: (await measure(() => terraform(dir.path, args))).median } }
      : {};
  const index = await indexProject(dir.path, signal);
  const format = await reference("terraform fmt -check", ["fmt", "-check", "-recursive"]);
  const validate = await reference("terraform validate", ["validate"]);
  const fast = await measure(() => fastValidate(dir.path, {}, signal));
  const row = (name: string, bound: number, times: Times, beside: Partial<Row>): Row => ({
    name,
    unit: "ms",
    bound,
    ...times,
    ...beside,
  });
  return [
    { ...(await measureMap(dir.path)), ...format },
    row("fast validation of 5,000 blocks", FAST_LIMIT_MS, fast, {
      ...format,
      target: { kind: "at_most", ratio: 0.5 },
    }),
    row("the same", FAST_LIMIT_MS, fast, validate),
    row(
      "fast validation, project read already",
      FAST_LIMIT_MS,
      await measure(() => fastValidate(dir.path, { index }, signal)),
      validate,
    ),
  ];
}
