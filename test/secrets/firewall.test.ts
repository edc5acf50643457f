// The firewall end to end, in the real program: what a model server was sent, what the store holds and what was logged
// hold no secret, whichever way it was read; and what is written back is what stood there.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type AcpClient, answerPermissions, type Json, openAgent } from "../support/acp-client.ts";
import {
  calls,
  type FakeModel,
  fakeModel,
  type Scripted,
  text,
  toolCall,
} from "../support/fake-model.ts";
import { MCP_SERVER } from "../support/mcp-servers.ts";
import { tempDir } from "../support/temp-dir.ts";

const SECRETS = {
  tfvars: "Tf-v4rs-p4ss-Quux71",
  env: "env-t0ken-9f8e7d6c5b",
  state: "st4te-P4ssword-Zeta55",
  key: "AKIA2OGYBAH6QLRWX3ZB",
  environment: "envir0nment-Value-33x",
  kube: "a3ViZS1wYXNzLTk5MQ-zz",
} as const;

const STATE = JSON.stringify({
  version: 4,
  terraform_version: "1.11.4",
  resources: [
    {
      mode: "managed",
      type: "aws_db_instance",
      name: "main",
      instances: [{ attributes: { id: "db-1", password: SECRETS.state, engine: "postgres" } }],
    },
  ],
});

const PROJECT = {
  "terraform.tfvars": `region      = "eu-west-1"\ndb_password = "${SECRETS.tfvars}"\n`,
  ".env": `APP_TOKEN=${SECRETS.env}\nPLAIN=value\n`,
  "terraform.tfstate": STATE,
  "copy.txt": `the words ${SECRETS.tfvars} and ${Buffer.from(SECRETS.env).toString("base64")} again\n`,
  "deploy.sh": `export AWS_ACCESS_KEY_ID=${SECRETS.key}\n`,
  "kubeconfig.yaml": `apiVersion: v1\nkind: Config\nusers:\n  - name: a\n    user:\n      token: ${SECRETS.kube}\n`,
};

/** Every form that a reader could turn back without effort. */
const FORMS = Object.values(SECRETS).flatMap((secret) => [
  secret,
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  encodeURIComponent(secret),
]);

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

function expectNoSecret(where: string, bytes: string): void {
  for (const form of FORMS)
    if (bytes.includes(form)) throw new Error(`${where} holds a secret: ${form}`);
}

/** What leaves the machine or stays on its disk. Whole outputs and files kept for undo are the user's own, and private. */
function expectNothingLeaked(model: FakeModel, client: AcpClient, home: string): void {
  for (const { raw, index } of model.requests) expectNoSecret(`request ${index}`, raw);
  expectNoSecret("stderr", client.process.stderr());
  for (const path of filesBelow(join(home, ".iac-code")))
    if (!path.endsWith(".log") && !path.includes("-undo/"))
      expectNoSecret(path, readFileSync(path, "latin1"));
}

type Turn = {
  readonly model: FakeModel;
  readonly client: AcpClient;
  readonly sessionId: string;
  /** Permission questions. */
  readonly asked: readonly Json[];
  readonly file: (name: string) => string;
  /** What the model was told after its nth answer. */
  readonly told: (n: number) => string;
};

type TurnOptions = {
  readonly prepare?: (folder: string) => void;
  readonly mcpServers?: readonly Json[];
  /** Text, or blocks for a project folder. */
  readonly prompt?: string | ((folder: string) => readonly Json[]);
};

async function turn(
  files: Readonly<Record<string, string>>,
  script: readonly Scripted[],
  look: (turn: Turn) => Promise<void> | void,
  { prepare, mcpServers = [], prompt = "Look around" }: TurnOptions = {},
): Promise<void> {
  await using project = await tempDir({ ...files });
  prepare?.(project.path);
  await using home = await tempDir();
  await using model = await fakeModel([...script, text("Done.")]);
  await using client = await openAgent("stdio", {
    env: { ...model.env(), TF_VAR_db_password: SECRETS.environment },
    home: home.path,
  });
  const asked = answerPermissions(client, "allow_once");
  await client.initialize();
  const opened = await client.request("session/new", { cwd: project.path, mcpServers });
  const sessionId = String(opened["sessionId"]);
  await client.request("session/prompt", {
    sessionId,
    prompt: typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt(project.path),
  });
  model.assertValid();
  expectNothingLeaked(model, client, home.path);
  await look({
    model,
    client,
    sessionId,
    asked,
    file: (name) => readFileSync(project.file(name), "utf8"),
    told: (n) => String(model.requests[n]?.messages.at(-1)?.["content"]),
  });
}

test("files that hold secrets are read, and none of them reaches model, store or log", async () => {
  const paths = Object.keys(PROJECT);
  await turn(
    PROJECT,
    paths.map((path) => toolCall("read_file", { path })),
    ({ told }) => {
      const all = paths.map((_, at) => told(at + 1));
      expect(all[0]).toContain('region      = "eu-west-1"');
      expect(all[1]).toContain("PLAIN=value");
      expect(all[2]).toContain("postgres");
      for (const words of all) expect(words).toContain("«secret:");
    },
  );
}, 60_000);

test("commands, searches, links and file names bring no secret to the model either", async () => {
  const commands = [
    "cat .env terraform.tfvars",
    "env | sort",
    "cat terraform.tfstate | tr ',' '\\n'",
    `printf '%s' '${SECRETS.tfvars}' | base64`,
    "grep -rn password . ; ls -la",
    "git init -q . && git add -A -f . && git -c user.name=a -c user.email=a@b diff --cached",
    "cat link.txt",
  ];
  await turn(
    { ...PROJECT, [`notes-${SECRETS.tfvars}.txt`]: "x\n" },
    [
      ...commands.map((command) => toolCall("bash", { command })),
      toolCall("grep", { pattern: "password|TOKEN|KEY", output: "content" }),
      toolCall("list_files", { path: "." }),
      toolCall("read_file", { path: "link.txt" }),
      toolCall("glob", { pattern: "notes*" }),
    ],
    ({ told }) => {
      expect(told(1)).toContain("region");
      expect(told(2)).toContain("TF_VAR_db_password=«secret:");
      expect(told(commands.length + 3)).toContain("«secret:");
    },
    { prepare: (folder) => symlinkSync("terraform.tfvars", join(folder, "link.txt")) },
  );
}, 60_000);

test("a line that holds a placeholder is edited, and the secret in it stays byte for byte", async () => {
  const secret = `q"uo\\te-${SECRETS.tfvars}`;
  const before = `# settings\r\ndb_password = ${JSON.stringify(secret)} # rotate\r\nsize = 1\r\n`;
  const placeholderIn = (told: string) => /«secret:[^»]+»/.exec(told)?.[0] ?? "none";
  await turn(
    { "app.tfvars": before },
    [
      toolCall("read_file", { path: "app.tfvars" }),
      ({ messages }) => {
        const placeholder = placeholderIn(String(messages.at(-1)?.["content"]));
        return toolCall("edit_file", {
          path: "app.tfvars",
          old_string: `db_password = "${placeholder}" # rotate\nsize = 1`,
          new_string: `db_password = "${placeholder}" # rotate it in May\nsize = 2`,
        });
      },
    ],
    ({ file, told }) => {
      expect(told(2)).toContain("Edited app.tfvars");
      expect(file("app.tfvars")).toBe(
        before.replace("# rotate", "# rotate it in May").replace("size = 1", "size = 2"),
      );
    },
  );
}, 60_000);

test("a placeholder goes into a command as the secret, and comes out of it as the placeholder", async () => {
  await turn(
    PROJECT,
    [
      toolCall("read_file", { path: ".env" }),
      ({ messages }) => {
        const placeholder = /«secret:[^»]+»/.exec(String(messages.at(-1)?.["content"]))?.[0] ?? "";
        return toolCall("bash", {
          command: `printf '%s' '${placeholder}' > out.txt; printf '%s' '${placeholder}'`,
        });
      },
    ],
    ({ file, told }) => {
      expect(file("out.txt")).toBe(SECRETS.env);
      expect(told(2)).toContain("«secret:");
    },
  );
}, 60_000);

test("a placeholder that this session did not give out is refused: nothing is asked, written or run", async () => {
  const unknown = "«secret:aws_db_instance.password#7»";
  await turn(
    { "main.tf": "# nothing\n" },
    [
      toolCall("read_file", { path: "main.tf" }),
      calls([
        { name: "write_file", args: { path: "new.tf", content: `password = "${unknown}"\n` } },
        {
          name: "edit_file",
          args: { path: "main.tf", old_string: "# nothing", new_string: unknown },
        },
        { name: "bash", args: { command: `echo ${unknown} > out.txt` } },
      ]),
    ],
    ({ client, sessionId, file, model }) => {
      const answers = model.requests[2]?.messages.slice(-3).map((each) => String(each["content"]));
      for (const answer of answers ?? [])
        expect(answer).toContain(`${unknown} stands for no secret of this session`);
      expect(
        client.log.some(({ message }) => message["method"] === "session/request_permission"),
      ).toBe(false);
      expect(client.toolCalls(sessionId).map(({ status }) => status)).toEqual([
        "completed",
        "failed",
        "failed",
        "failed",
      ]);
      expect(file("main.tf")).toBe("# nothing\n");
      expect(() => file("out.txt")).toThrow();
      expect(() => file("new.tf")).toThrow();
    },
  );
}, 60_000);

/** Prints the token of .env in two pieces with a pause between them. */
const SLOW = `token=$(head -1 .env | cut -d= -f2)
echo begun
sleep 0.5
printf 'now '
printf '%s' "$token" | cut -c1-12 | tr -d '\\n'
sleep 0.8
printf '%s\\n' "$token" | cut -c13-
sleep 0.5
echo end
`;

test("a secret that arrives in two pieces is never shown in half, live or after", async () => {
  await turn(
    { ...PROJECT, "slow.sh": SLOW },
    [toolCall("bash", { command: "sh slow.sh" })],
    ({ client, sessionId, told }) => {
      expect(told(1)).toMatch(/^begun\nnow «secret:[^»]+»\nend/);
      const shown = JSON.stringify(client.updates(sessionId));
      expect(shown).toContain("begun");
      for (const form of FORMS) expect(shown).not.toContain(form);
      expect(shown).not.toContain(SECRETS.env.slice(0, 12));
    },
  );
}, 60_000);

test("state, plans and crash logs are asked about and masked by their structure, also out of a zip", async () => {
  const plan = JSON.stringify({
    format_version: "1.2",
    terraform_version: "1.11.4",
    resource_changes: [
      {
        address: "aws_db_instance.main",
        type: "aws_db_instance",
        change: {
          actions: ["create"],
          before: null,
          after: { engine: "postgres", odd_field: SECRETS.tfvars },
          after_sensitive: { odd_field: true },
        },
      },
    ],
  });
  const files = {
    "terraform.tfstate": STATE,
    "terraform.tfstate.backup": STATE,
    "tfplan.json": plan,
    "crash.log": `[DEBUG] database: password = "${SECRETS.state}"\n`,
  };
  const paths = Object.keys(files);
  await turn(
    {
      ...files,
      "show.sh": "cat tfplan.json\n",
      "pack.sh": "cat terraform.tfstate | gzip -c > p.gz\n",
    },
    [
      ...paths.map((path) => toolCall("read_file", { path })),
      toolCall("bash", { command: "sh show.sh; sh pack.sh; gunzip -c p.gz" }),
    ],
    ({ asked, told }) => {
      expect(asked.length).toBe(paths.length + 1);
      for (const at of paths.keys()) expect(told(at + 1)).toContain("«secret:");
      expect(told(paths.length + 1)).toContain("postgres");
    },
  );
}, 60_000);

test("what an MCP server, a link in a prompt or an embedded file brings is masked as well", async () => {
  const server = {
    name: "one",
    command: process.execPath,
    args: [MCP_SERVER, "well"],
    env: [{ name: "DATABASE_PASSWORD", value: SECRETS.kube }],
  };
  await turn(
    PROJECT,
    [toolCall("mcp__one__look", {})],
    ({ told, model }) => {
      expect(told(1)).toContain("environment:");
      expect(told(1)).toContain("«secret:");
      expect(String(model.requests[0]?.messages.at(-1)?.["content"])).toContain("«secret:");
    },
    {
      mcpServers: [server],
      prompt: (folder) => [
        { type: "text", text: `Use ${SECRETS.tfvars} there` },
        { type: "resource_link", uri: `file://${folder}/.env`, name: ".env" },
        {
          type: "resource",
          resource: { uri: "file:///x.tfvars", text: PROJECT["terraform.tfvars"] },
        },
        {
          type: "resource_link",
          uri: `https://user:${SECRETS.state}@example.com/x`,
          name: SECRETS.tfvars,
        },
      ],
    },
  );
}, 60_000);
