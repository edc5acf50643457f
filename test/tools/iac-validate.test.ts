// iac_validate with programs: small scripts stand in for the linters, so that every way they end is seen.

import { expect, test } from "bun:test";
import { chmod, readdir } from "node:fs/promises";
import type { Finding } from "../../src/iac/findings.ts";
import { indexProject } from "../../src/iac/map.ts";
import { fullValidate, merge } from "../../src/tools/iac-programs/full-validate.ts";
import { programEnvironment } from "../../src/tools/iac-programs/program.ts";
import { iacValidate, reportText } from "../../src/tools/iac-validate.ts";
import { openAgent } from "../support/acp-client.ts";
import { fakeModel, text as answer, toolCall } from "../support/fake-model.ts";
import { tempDir, type TempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";

const PROJECT = {
  "main.tf": 'output "o" {\n  value = var.nope\n}\n\ndata "http" "h" {\n  url = "x"\n}\n',
  "cfn.yaml": "AWSTemplateFormatVersion: '2010-09-09'\nResources: {}\n",
  "play.yml": "- hosts: all\n  tasks: []\n",
};
const { signal } = new AbortController();

/** A folder of executable scripts. */
async function programs(scripts: Readonly<Record<string, string>>): Promise<TempDir> {
  const dir = await tempDir(
    Object.fromEntries(Object.entries(scripts).map(([name, body]) => [name, `#!/bin/sh\n${body}`])),
  );
  await Promise.all(Object.keys(scripts).map((name) => chmod(dir.file(name), 0o755)));
  return dir;
}

async function validateWith(
  files: Readonly<Record<string, string>>,
  scripts: Readonly<Record<string, string>>,
) {
  await using dir = await tempDir(files);
  await using bin = await programs(scripts);
  const index = await indexProject(dir.path, signal);
  const env = { PATH: `${bin.path}:/usr/bin:/bin`, TF_CLI_ARGS: "-x", OPENAI_API_KEY: "k" };
  return await fullValidate({ root: dir.path, index, signal, env });
}

test("iac_validate tells findings by line with a summary, and where they are", async () => {
  await using dir = await tempDir(PROJECT);
  await using tools = await toolContext(dir.path);
  const result = await tools.run(iacValidate, { paths: ["main.tf"] });
  expect(result.text).toContain("1 error, ");
  expect(result.text).toContain(
    'main.tf:2:11 error HCL-REF undeclared variable "nope": this module declares none of that name.',
  );
  expect(result.text).toContain("Not checked: Ansible playbooks");
  expect(result.locations?.[0]?.path).toBe(dir.file("main.tf"));
});

test("iac_validate refuses paths outside of the working directory", async () => {
  await using dir = await tempDir({ "in/main.tf": "" });
  await using tools = await toolContext(dir.file("in"));
  expect(await iacValidate.prepare({ paths: ["../x"] }, tools.context)).toMatchObject({
    ok: false,
    text: "paths: ../x lies outside of the working directory, which is what iac_validate reads.",
  });
});

test("iac_validate shows at most 500 findings and says how many it left out", async () => {
  await using dir = await tempDir({
    "main.tf": Array.from({ length: 600 }, (_, n) => `variable "v${n}" {}\n`).join(""),
  });
  await using tools = await toolContext(dir.path);
  const { text } = await tools.run(iacValidate, {});
  expect(text.split("\n").filter((line) => line.startsWith("main.tf:")).length).toBe(500);
  expect(text).toMatch(/\[\d+ more findings are left out; give paths/);
});

test("level full merges what programs find, whatever the status they end with", async () => {
  const cfnLint = JSON.stringify([
    {
      Filename: "./cfn.yaml",
      Level: "Warning",
      Message: "Old.",
      Rule: { Id: "W1" },
      Location: { Start: { LineNumber: 2, ColumnNumber: 1 } },
    },
  ]);
  const tflint = JSON.stringify({
    issues: [
      {
        rule: { name: "r", severity: "error" },
        message: "Said by us already.",
        range: { filename: "main.tf", start: { line: 2, column: 3 } },
      },
      {
        rule: { name: "s", severity: "notice" },
        message: "Style.",
        range: { filename: "main.tf", start: { line: 1, column: 1 } },
      },
    ],
  });
  const ansible = JSON.stringify([
    {
      check_name: "name[play]",
      description: "All plays should be named.",
      severity: "minor",
      location: { path: "play.yml", lines: { begin: 1 } },
    },
  ]);
  const report = await validateWith(PROJECT, {
    "cfn-lint": `cat <<'E'\n${cfnLint}\nE\nexit 4\n`,
    tflint: `cat <<'E'\n${tflint}\nE\nexit 0\n`,
    "ansible-lint": `cat <<'E'\n${ansible}\nE\nexit 2\n`,
    tofu: '[ "$1" = fmt ] && echo main.tf && exit 3\nexit 1\n',
  });
  const external = report.findings.filter(({ code }) => code.includes(":"));
  expect(external.map(({ file, line, severity, code }) => [file, line, severity, code])).toEqual([
    ["cfn.yaml", 2, "warning", "cfn-lint:W1"],
    ["main.tf", 1, "info", "tflint:s"],
    ["main.tf", 1, "info", "tofu:fmt"],
    ["play.yml", 1, "warning", "ansible-lint:name[play]"],
  ]);
  expect(report.ran).toEqual(["tofu fmt", "cfn-lint", "tflint", "ansible-lint"]);
  expect(report.notChecked).toEqual([
    "provider schemas of .: it was never initialised (`tofu init`)",
  ]);
});

test("level full says what a program that fails or is missing leaves unchecked", async () => {
  const report = await validateWith(PROJECT, {
    "cfn-lint": "echo broken >&2\nexit 1\n",
    tofu: "echo cannot >&2\nexit 1\n",
    tflint: "echo no json\n",
  });
  expect(report.notChecked).toEqual([
    "Ansible playbooks: only ansible-lint (level full) reads them",
    "tofu fmt failed (exit 1): cannot",
    "provider schemas of .: it was never initialised (`tofu init`)",
    "cfn-lint failed (exit 1): broken",
    "tflint failed (exit 0): no json",
    "Ansible playbooks: ansible-lint is not installed",
  ]);
});

test("validate -json runs where the module was initialised, and its diagnostics are placed in the project", async () => {
  const diagnostics = JSON.stringify({
    diagnostics: [
      {
        severity: "error",
        summary: "Unsupported argument",
        detail: "No such\nargument.",
        range: { filename: "main.tf", start: { line: 1, column: 3 } },
      },
    ],
  });
  const report = await validateWith(
    { "live/main.tf": 'terraform {\n  backend "s3" {}\n}\n', "live/.terraform/x": "" },
    {
      terraform: `[ "$1" = fmt ] && exit 0\n[ -n "$TF_CLI_ARGS$OPENAI_API_KEY" ] && exit 9\ncat <<'E'\n${diagnostics}\nE\nexit 1\n`,
    },
  );
  expect(report.findings.filter(({ code }) => code === "terraform:validate")).toEqual([
    {
      file: "live/main.tf",
      line: 1,
      column: 3,
      severity: "error",
      code: "terraform:validate",
      message: "Unsupported argument: No such argument.",
    },
  ]);
  expect(report.ran).toEqual(["terraform fmt", "terraform validate (live)"]);
});

test("programEnvironment drops flags, logs, our keys and the runtime's switches", () => {
  const env = programEnvironment({
    PATH: "/bin",
    TF_CLI_ARGS_plan: "-destroy",
    TF_LOG: "trace",
    IACCODE_HOME: "x",
    BUN_BE_BUN: "1",
    DEEPSEEK_API_KEY: "k",
    AWS_PROFILE: "p",
  });
  expect(env).toEqual({
    PATH: "/bin",
    AWS_PROFILE: "p",
    TF_IN_AUTOMATION: "1",
    TF_INPUT: "0",
    CHECKPOINT_DISABLE: "1",
    NO_COLOR: "1",
  });
});

test("merge keeps our finding for an external error of the same line, and says equal ones once", () => {
  const finding = (code: string, line: number, severity: Finding["severity"]): Finding => ({
    file: "a.tf",
    line,
    column: 1,
    severity,
    code,
    message: "m",
  });
  const own = [finding("HCL-REF", 1, "error")];
  const external = [
    finding("x:a", 1, "error"),
    finding("x:b", 1, "warning"),
    finding("x:c", 2, "error"),
    finding("x:c", 2, "error"),
  ];
  expect(merge(own, external).map(({ code }) => code)).toEqual(["HCL-REF", "x:b", "x:c"]);
});

test("reportText of a clean project is short", () => {
  expect(
    reportText({
      findings: [],
      checked: { modules: 1, terraformFiles: 2, templates: 0 },
      notChecked: [],
      ignored: 1,
      ran: [],
    }),
  ).toBe(
    "nothing found, 1 silenced by iac-code:ignore (2 Terraform files in 1 module)\nRan: no program",
  );
});

test("a linter that would run code of the project is not run, and that is said", async () => {
  const ran = 'touch "$(dirname "$0")/$(basename "$0").ran"; echo \'[]\'\n';
  const linters = ["cfn-lint", "tflint", "ansible-lint", "checkov"];
  await using bin = await programs(Object.fromEntries(linters.map((name) => [name, ran])));
  const report = async (own: Readonly<Record<string, string>>) => {
    await using dir = await tempDir({ ...PROJECT, ...own });
    const index = await indexProject(dir.path, signal);
    const env = { PATH: `${bin.path}:/usr/bin:/bin` };
    return (await fullValidate({ root: dir.path, index, signal, env })).notChecked.join("\n");
  };
  const told = await report({
    ".cfnlintrc": "append_rules:\n  - ./rules\n",
    ".tflint.hcl": 'config {\n  plugin_dir = "./plugins"\n}\n',
    "library/evil.py": "",
    ".checkov.yaml": "external-checks-dir: [./checks]\n",
  });
  for (const [linter, file] of [
    ["cfn-lint", ".cfnlintrc"],
    ["tflint", ".tflint.hcl"],
    ["ansible-lint", "library"],
    ["checkov", ".checkov.yaml"],
  ])
    expect(told).toContain(`${linter} would run code of the project (${file})`);
  expect((await readdir(bin.path)).filter((name) => name.endsWith(".ran"))).toEqual([]);
  expect(await report({ ".cfnlintrc": "ignore_checks: [W1]\n" })).not.toContain("would run code");
  expect(await readdir(bin.path)).toContain("cfn-lint.ran");
});

test("provider programs that stand in the repository itself are not started", async () => {
  const files = {
    "live/main.tf": 'data "http" "h" {\n  url = "x"\n}\n',
    "live/.terraform/providers/x/evil": "#!/bin/sh\n",
  };
  await using bin = await programs({ terraform: '[ "$1" = fmt ] || echo "{}"\n' });
  const validate = async (git: boolean) => {
    await using dir = await tempDir(files);
    if (git) {
      const run = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: dir.path });
      run("init", "-q");
      run("add", "-f", ".");
    }
    const index = await indexProject(dir.path, signal);
    const env = { PATH: bin.path };
    return (await fullValidate({ root: dir.path, index, signal, env })).notChecked.join("\n");
  };
  expect(await validate(true)).toContain("the repository brings provider programs of its own");
  expect(await validate(false)).not.toContain("the repository brings");
});

const WRONG_CFN = `AWSTemplateFormatVersion: "2010-09-09"
Resources:
  Bucket:
    Type: AWS::S3::Bucket
    DeletionPolicy: Retain
    UpdateReplacePolicy: Retain
    Properties:
      BucketName: 5
      VersioningConfiguration:
        Status: Sometimes
`;

test.skipIf(Bun.which("cfn-lint") === null)(
  "level full runs the real cfn-lint (skipped without it), and its findings are placed in the project",
  async () => {
    await using dir = await tempDir({ "stack/cfn.yaml": WRONG_CFN });
    const index = await indexProject(dir.path, signal);
    const report = await fullValidate({ root: dir.path, index, signal, env: process.env });
    expect(report.ran).toContain("cfn-lint");
    const found = report.findings.filter(({ code }) => code.startsWith("cfn-lint:"));
    expect(found.map(({ file, line, severity }) => [file, line, severity])).toContainEqual([
      "stack/cfn.yaml",
      10,
      "error",
    ]);
  },
  60_000,
);

test.skipIf(Bun.which("terraform") === null)(
  "level full runs validate again while errors hide others (skipped without terraform), in no file of the project",
  async () => {
    const files = {
      "live/iac-code-stand-ins.tf": "# mine\n",
      "live/main.tf": `resource "terraform_data" "a" {
  input = var.nope
  inptu = 1
}

resource "terraform_data" "b" {
  input            = local.missing
  triggers_replace = terraform_data.gone.output
  trigers          = 1
}
`,
    };
    await using dir = await tempDir(files);
    const index = await indexProject(dir.path, signal);
    const report = await fullValidate({ root: dir.path, index, signal, env: process.env });
    const messages = report.findings
      .filter(({ code }) => code === "terraform:validate")
      .map(({ file, line, message }) => `${file}:${line} ${message.split(":")[0]}`);
    expect(messages).toContain("live/main.tf:3 Unsupported argument");
    expect(messages).toContain("live/main.tf:9 Unsupported argument");
    expect((await readdir(dir.file("live"))).toSorted()).toEqual([
      "iac-code-stand-ins.tf",
      "main.tf",
    ]);
    expect(await Bun.file(dir.file("live/iac-code-stand-ins.tf")).text()).toBe("# mine\n");
  },
);

test("the binary that the user's configuration names is used, and missed by its name", async () => {
  await using dir = await tempDir({ "main.tf": "locals {\n  a = 1\n}\n" });
  await using bin = await programs({ mine: "exit 0\n", terraform: "exit 9\n" });
  const index = await indexProject(dir.path, signal);
  const project = { root: dir.path, index, signal, env: { PATH: bin.path } };
  const used = await fullValidate({ ...project, binary: bin.file("mine") });
  expect(used.ran).toContain("mine fmt");
  const missing = await fullValidate({ ...project, binary: "terraform-1.5" });
  expect(missing.notChecked).toContain(
    "formatting and provider schemas: iac.binary of config.json names terraform-1.5, which is not installed",
  );
});

test("iac.binary of config.json reaches the tools of the program", async () => {
  await using bin = await programs({ mine: "exit 0\n" });
  await using home = await tempDir({
    ".iac-code/config.json": JSON.stringify({ iac: { binary: bin.file("mine") } }),
  });
  await using dir = await tempDir({ "main.tf": "locals {\n  a = 1\n}\n" });
  await using model = await fakeModel([
    toolCall("iac_validate", { level: "full" }),
    answer("Done."),
  ]);
  await using client = await openAgent("stdio", { env: model.env(), home: home.path });
  const sessionId = await client.newSession(dir.path);
  await client.prompt(sessionId, "Validate");
  expect(String(model.requests[1]?.messages.at(-1)?.["content"])).toContain("Ran: mine fmt");
}, 30_000);

test.skipIf(Bun.which("terraform") === null)(
  "level full with the real terraform (if installed) reports an unformatted file",
  async () => {
    await using dir = await tempDir({ "main.tf": "locals {\na=1\n}\n" });
    const index = await indexProject(dir.path, signal);
    const report = await fullValidate({ root: dir.path, index, signal, env: process.env });
    expect(report.findings.map(({ code }) => code)).toContain("terraform:fmt");
  },
);
