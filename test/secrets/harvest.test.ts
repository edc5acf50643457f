import { expect, test } from "bun:test";
import { harvestEnvironment, harvestFiles, harvestText } from "../../src/secrets/harvest.ts";
import { createMasker } from "../../src/secrets/mask.ts";
import { tempDir } from "../support/temp-dir.ts";

const signal = new AbortController().signal;
const values = (found: readonly { readonly value: string }[]) => found.map(({ value }) => value);

test("harvestFiles takes the secrets of tfvars, env files, state, manifests and credential files, decoded too", async () => {
  const decoded = "Harbor!x92Kd";
  await using dir = await tempDir({
    "prod.tfvars": 'region = "eu-west-1"\ndb_password = "Willow-aa77Zq"\n',
    ".env": "API_KEY=k9Xw2Lm4Qp7Rt\nDEBUG=true\n",
    "terraform.tfstate": JSON.stringify({
      version: 4,
      resources: [
        {
          type: "random_password",
          name: "p",
          instances: [{ attributes: { result: "Zk3!pQ9x&Lm2", length: 12 } }],
        },
      ],
    }),
    "secret.yaml": `kind: Secret\ndata:\n  pw: ${Buffer.from(decoded).toString("base64")}\n`,
    credentials: "[default]\naws_secret_access_key = q8Wm3Zr6Tx1Bn5Vc0Kp4\n",
    binary: new Uint8Array([0, 1, 2]),
  });
  const names = [
    "prod.tfvars",
    ".env",
    "terraform.tfstate",
    "secret.yaml",
    "credentials",
    "binary",
    "missing",
  ];
  const found = values(
    await harvestFiles(
      names.map((name) => dir.file(name)),
      signal,
    ),
  );
  for (const value of [
    "Willow-aa77Zq",
    "k9Xw2Lm4Qp7Rt",
    "Zk3!pQ9x&Lm2",
    decoded,
    "q8Wm3Zr6Tx1Bn5Vc0Kp4",
  ])
    expect(found).toContain(value);
  for (const value of ["eu-west-1", "true", "12"]) expect(found).not.toContain(value);
});

test("harvestFiles stops when it is aborted", async () => {
  await using dir = await tempDir({ ".env": "API_KEY=k9Xw2Lm4Qp7Rt\n" });
  expect(await harvestFiles([dir.file(".env")], AbortSignal.abort())).toEqual([]);
});

test("harvestEnvironment goes by the names of the variables", () => {
  const found = harvestEnvironment({
    DB_PASSWORD: "Maple_q1w2e3",
    PATH: "/usr/bin:/bin",
    TOKEN: "short",
    DATABASE_URL: "postgres://app:cobalt.Q8z1!@db/app",
    EMPTY: undefined,
  });
  expect(values(found)).toEqual(["Maple_q1w2e3", "cobalt.Q8z1!"]);
});

test("what was harvested from a file is masked in unrelated output", () => {
  const masker = createMasker({ level: "balanced" });
  masker.addKnown(harvestText('db_password = "Willow-aa77Zq"\n', "prod.tfvars"));
  expect(masker.mask("connected with Willow-aa77Zq")).toBe("connected with «secret:db_password#1»");
});
