import { expect, test } from "bun:test";
import { iacMap } from "../../src/tools/iac-map.ts";
import { tempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";

const PROJECT = {
  "main.tf": `variable "env" {}
module "net" {
  source = "./net"
  name   = var.env
}
`,
  "net/main.tf": 'variable "name" {}\noutput "id" {\n  value = var.name\n}\n',
};

test("iac_map answers with places, and with locations to open", async () => {
  await using dir = await tempDir(PROJECT);
  await using tools = await toolContext(dir.path);
  const result = await tools.run(iacMap, { query: "refs_of", of: "var.env" });
  expect(result.text).toBe("1 place for refs_of var.env\nmain.tf:4 var.env in module.net");
  expect(result.locations).toEqual([{ path: dir.file("main.tf"), line: 4 }]);
});

test("iac_map summarises the whole project or the part below a path", async () => {
  await using dir = await tempDir(PROJECT);
  await using tools = await toolContext(dir.path);
  const whole = await tools.run(iacMap, { query: "summary" });
  expect(whole.text).toContain("Terraform root module . (1 file, state: local)");
  const part = await tools.run(iacMap, { query: "summary", path: "net" });
  expect(part.text).toBe("Terraform child module net (1 file)\n  variables: name\n  outputs: id");
});

test("iac_map tells an address without answers from one that does not exist", async () => {
  await using dir = await tempDir(PROJECT);
  await using tools = await toolContext(dir.path);
  const known = await tools.run(iacMap, { query: "refs_of", of: "module.net" });
  expect(known.text).toBe(
    "Nothing found for refs_of module.net. The nearest declaration is module.net at main.tf:2.",
  );
  const unknown = await tools.run(iacMap, { query: "dependents", of: "var.nope" });
  expect(unknown.text).toBe(
    "Nothing found for dependents var.nope. No declaration has that address or name.",
  );
});

test("iac_map refuses a question without a subject and a path outside, before anything runs", async () => {
  await using dir = await tempDir({ "in/main.tf": "" });
  await using tools = await toolContext(dir.file("in"));
  expect(await iacMap.prepare({ query: "where_is" }, tools.context)).toEqual({
    ok: false,
    text: "of: where_is needs it. Give an address such as aws_vpc.main or var.region.",
  });
  expect(await iacMap.prepare({ query: "summary", path: ".." }, tools.context)).toEqual({
    ok: false,
    text: "path: .. lies outside of the working directory, which is what iac_map reads.",
  });
});

test("iac_map reads no denied file and says that it left some out", async () => {
  await using dir = await tempDir(PROJECT);
  await using tools = await toolContext(dir.path, {
    isPathDenied: (path) => path === dir.file("net/main.tf"),
  });
  const { text } = await tools.run(iacMap, { query: "summary" });
  expect(text).not.toContain("module net (");
  expect(text).toContain("Note: 1 file left out by a deny rule");
});

test("iac_map ends at once when it is cancelled", async () => {
  await using dir = await tempDir(PROJECT);
  await using tools = await toolContext(dir.path);
  tools.abort();
  expect(await tools.run(iacMap, { query: "summary" })).toEqual({ ok: false, text: "Cancelled." });
});
