// The whole way of a command line: what runs, with which class, and what is fail-closed.

import { expect, test } from "bun:test";
import type * as access from "../../src/conversation/access.ts";
import * as shell from "../../src/shell/analysis.ts";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { MAX_COMMAND_LENGTH } from "../../src/shell/parse.ts";

const OPTIONS = { cwd: "/srv/project", env: { HOME: "/home/u" } };
const analyze = (command: string) => analyzeCommand(command, OPTIONS);
const classOf = async (command: string) => (await analyze(command)).class;

test("CommandAnalysis is the shape that the access contract asks for, both ways", async () => {
  const analysis: access.CommandAnalysis = await analyze("ls");
  const back: shell.CommandAnalysis = analysis;
  const classes: readonly access.CommandClass[] = shell.COMMAND_CLASSES;
  expect(back.class).toBe("read");
  expect(classes).toEqual(["read", "write", "plan", "mutate", "destroy", "unknown"]);
});

test("analyzeCommand lists each inner command with class, scope, reason and files", async () => {
  expect(await analyze("terraform validate && cat main.tf > out.txt")).toEqual({
    class: "write",
    commands: [
      {
        argv: ["terraform", "validate"],
        class: "read",
        scope: ["terraform", "validate"],
        reads: [],
        writes: [],
      },
      { argv: ["cat", "main.tf"], class: "read", scope: ["cat"], reads: ["main.tf"], writes: [] },
      {
        argv: [">", "out.txt"],
        class: "write",
        scope: [],
        reason: "writes out.txt",
        reads: [],
        writes: ["out.txt"],
      },
    ],
    warnings: [],
  });
});

test("argv is normalised so that a token prefix finds the verb behind folders and global options", async () => {
  const { commands } = await analyze("sudo /usr/bin/terraform -chdir=dev destroy -target=a");
  expect(commands.map((command) => command.argv.slice(0, 2))).toEqual([
    ["sudo", "/usr/bin/terraform"],
    ["terraform", "destroy"],
  ]);
});

test("nothing may be allowed always for destroy, unknown and raised flags", async () => {
  for (const command of [
    "terraform destroy",
    "python x.py",
    "terraform apply -auto-approve",
    "terraform init -migrate-state",
    "kubectl apply -f a --force",
  ]) {
    const { commands } = await analyze(command);
    expect({ command, scopes: commands.map(({ scope }) => scope) }).toEqual({
      command,
      scopes: [[]],
    });
  }
  expect((await analyze("terraform apply")).commands[0]?.scope).toEqual(["terraform", "apply"]);
  expect((await analyze("kubectl -n dev get pods")).commands[0]?.scope).toEqual(["kubectl", "get"]);
});

test("files are named as written, and after cd as seen from where the line starts", async () => {
  const files = async (command: string) => {
    const { commands } = await analyze(command);
    return {
      reads: commands.flatMap(({ reads }) => reads),
      writes: commands.flatMap(({ writes }) => writes),
    };
  };
  expect(await files("cat .env")).toEqual({ reads: [".env"], writes: [] });
  expect(await files("grep -e x -f pat .env a")).toEqual({
    reads: [".env", "a", "pat"],
    writes: [],
  });
  for (const search of ["grep -rn x", "rg x", "git grep x", "ag x"])
    expect((await files(search)).reads).toContain(".");
  expect(await files("wc --files0-from=/etc/shadow")).toEqual({
    reads: ["/etc/shadow"],
    writes: [],
  });
  expect(await files("git blame --contents ../x main.tf")).toEqual({
    reads: ["../x", "main.tf"],
    writes: [],
  });
  expect(await files("sed -i s/a/b/ x.tf")).toEqual({ reads: ["x.tf"], writes: ["x.tf"] });
  expect(await files("cp a b && mv c d")).toEqual({ reads: ["a", "c"], writes: ["b", "d", "c"] });
  expect(await files("cd ../other && cat .env")).toEqual({
    reads: ["../other", "../other/.env"],
    writes: [],
  });
  expect(await files("cd /etc; cat shadow")).toEqual({
    reads: ["/etc", "/etc/shadow", "shadow"],
    writes: [],
  });
  expect(await files("sort < .env")).toEqual({ reads: [".env"], writes: [] });
  expect(await files("cat ~/.ssh/id_rsa $HOME/x")).toEqual({
    reads: ["~/.ssh/id_rsa", "/home/u/x"],
    writes: [],
  });
});

test("a wrapper given a script and a command runs both", async () => {
  expect(await classOf("doppler run --command ls -- terraform destroy")).toBe("destroy");
  expect(await classOf("doppler run --command 'terraform destroy' -- ls")).toBe("destroy");
  expect(await classOf("hyperfine ls 'terraform destroy'")).toBe("unknown");
});

test("a flag never swallows the file after it", async () => {
  const reading = [
    "cat -n .env",
    "tail -f .env",
    "wc -c .env",
    "sort -f .env",
    "head -n 5 .env",
    "cut -d : -f 1 .env",
    "grep -r x .env",
    "ag -t x .env",
    "stat -c %s .env",
    "cp --backup .env b",
    "nl -b a .env",
  ];
  for (const command of reading) {
    const { commands } = await analyze(command);
    expect({ command, found: commands[0]?.reads.includes(".env") }).toEqual({
      command,
      found: true,
    });
  }
  const writing = [
    "tee -a x.tfstate",
    "mkdir -p x.tfstate",
    "touch -a x.tfstate",
    "gzip -d x.tfstate",
    "truncate -o x.tfstate",
  ];
  for (const command of writing)
    expect({ command, class: await classOf(command) }).toEqual({ command, class: "destroy" });
});

test("a pattern that would match secrets also names them", async () => {
  const { commands } = await analyze("cat terraform.*");
  expect(commands[0]?.reads).toContain("terraform.tfstate");
  expect((await analyze("cat *.tf")).commands[0]?.reads).toEqual(["*.tf"]);
});

test("what cannot be parsed, holds invisible characters or is too long is unknown", async () => {
  const fail = [
    "echo 'open",
    "if",
    "ls; ;",
    "terraform\u200b plan",
    "ls \u202e",
    "ls\r",
    "echo \u0007",
    `echo ${"x".repeat(MAX_COMMAND_LENGTH)}`,
  ];
  for (const command of fail)
    expect({ command, class: await classOf(command) }).toEqual({ command, class: "unknown" });
});

test("every line counts, however far down it stands", async () => {
  const lines = Array.from({ length: 300 }, (_v, n) => `echo line ${n}`);
  lines[249] = "terraform destroy";
  expect(await classOf(lines.join("\n"))).toBe("destroy");
});

test("an empty line, a comment and an assignment run nothing", async () => {
  for (const command of ["", "  ", "# terraform destroy", "A=1"])
    expect(await analyze(command)).toEqual({ class: "read", commands: [], warnings: [] });
});

test("an apply that iac_apply could do points there, any other does not", async () => {
  const points = async (command: string) =>
    (await analyze(command)).warnings.some((warning) => warning.includes("iac_apply"));
  for (const command of [
    "terraform apply",
    "tofu apply -auto-approve",
    "terraform -chdir=net apply -target=aws_vpc.a -var-file=dev.tfvars",
    "terraform destroy",
    "bash -c 'terraform apply -destroy'",
    "terraform plan -out=p && terraform apply p",
  ])
    expect([command, await points(command)]).toEqual([command, true]);
  for (const command of [
    "terraform apply -var a=b",
    "terraform apply --replace=aws_db_instance.x",
    "terraform destroy -state=other.tfstate",
    "terraform plan",
    "terraform import aws_vpc.a vpc-1",
    "terragrunt apply",
    "pulumi up",
    "cdk deploy",
    "kubectl apply -f x.yaml",
  ])
    expect([command, await points(command)]).toEqual([command, false]);
});

test("warnings name state files at risk, raised flags, production and printed secrets", async () => {
  const warnings = async (command: string) => (await analyze(command)).warnings.join("; ");
  expect(await warnings("> terraform.tfstate")).toContain("state file at risk: terraform.tfstate");
  expect(await warnings("git clean -fdx")).toContain("state files at risk");
  expect(await warnings("rm -rf .")).toContain("state files at risk");
  expect(await warnings("rm .terraform.lock.hcl")).toContain(".terraform.lock.hcl");
  expect(await warnings("terraform apply -auto-approve")).toContain("-auto-approve");
  expect(await warnings("terraform -chdir=prod apply")).toContain("looks like production");
  expect(await warnings("terraform output -json")).toContain("secrets");
  expect(await warnings("kubectl get secret a")).toContain("secrets");
  expect(await warnings("env")).toContain("secrets");
});

test("TF_CLI_ARGS of the shell's own environment counts", async () => {
  const analysis = await analyzeCommand("terraform apply", {
    cwd: "/srv",
    env: { TF_CLI_ARGS_apply: "-destroy" },
  });
  expect(analysis.class).toBe("destroy");
});

test("a folder that looks like production raises what changes, and only that", async () => {
  const at = async (command: string) =>
    (await analyzeCommand(command, { cwd: "/srv/envs/prod" })).class;
  expect([
    await at("terraform apply"),
    await at("terraform plan"),
    await at("terraform fmt"),
  ]).toEqual(["destroy", "plan", "write"]);
});

test("a program named by a path outside the folders of programs is unknown, whatever it is called", async () => {
  const classes: Record<string, string> = {};
  for (const line of [
    "./ls",
    "bin/terraform validate",
    "/tmp/evil/cat main.tf",
    "/usr/bin/../../tmp/evil/cat main.tf",
    "~/bin/git status",
    "./bash -c ls",
    "./env ls",
    "bash -c './ls'",
    "ls && ./cat main.tf",
    "./terraform plan",
    "./terraform destroy",
    "/usr/bin/ls",
    "/bin/cat main.tf",
    "/opt/tools/terraform validate",
  ])
    classes[line] = (
      await analyzeCommand(line, {
        cwd: "/app",
        env: { PATH: "/opt/tools:/usr/bin" },
        readRecipe: async () => undefined,
      })
    ).class;
  expect(classes).toEqual({
    "./ls": "unknown",
    "bin/terraform validate": "unknown",
    "/tmp/evil/cat main.tf": "unknown",
    "/usr/bin/../../tmp/evil/cat main.tf": "unknown",
    "~/bin/git status": "unknown",
    "./bash -c ls": "unknown",
    "./env ls": "unknown",
    "bash -c './ls'": "unknown",
    "ls && ./cat main.tf": "unknown",
    "./terraform plan": "unknown",
    "./terraform destroy": "destroy",
    "/usr/bin/ls": "read",
    "/bin/cat main.tf": "read",
    "/opt/tools/terraform validate": "read",
  });
});
