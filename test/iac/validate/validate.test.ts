import { expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { formatFinding } from "../../../src/iac/findings.ts";
import { fastValidate, type FastReport } from "../../../src/iac/validate.ts";
import { tempDir } from "../../support/temp-dir.ts";

const { signal } = new AbortController();

async function check(files: Readonly<Record<string, string>>): Promise<FastReport> {
  await using dir = await tempDir(files);
  return await fastValidate(dir.path, {}, signal);
}

/** Only what the HCL checks say; the rules have tests of their own. */
async function hclLines(files: Readonly<Record<string, string>>): Promise<string[]> {
  const { findings } = await check(files);
  return findings.filter(({ code }) => code.startsWith("HCL-")).map(formatFinding);
}

test("undeclared references are errors with a hint, in every kind of block", async () => {
  expect(
    await hclLines({
      "main.tf": `variable "region" {}
resource "aws_vpc" "main" {
  cidr_block = var.regoin
  tags       = { Name = local.name }
}
output "id" {
  value = [aws_vpc.man.id, data.aws_ami.x.id, module.net.id, var.region]
}
provider "aws" {
  region = eu-west-1
}
`,
    }),
  ).toEqual([
    'main.tf:3:16 error HCL-REF undeclared variable "regoin": this module declares none of that name. Did you mean var.region?',
    'main.tf:4:25 error HCL-REF undeclared local value "name": this module declares none of that name.',
    'main.tf:7:12 error HCL-REF undeclared resource "aws_vpc.man": this module declares none of that name. Did you mean aws_vpc.main?',
    'main.tf:7:28 error HCL-REF undeclared data source "data.aws_ami.x": this module declares none of that name.',
    'main.tf:7:47 error HCL-REF undeclared module "net": this module declares none of that name.',
    'main.tf:10:12 error HCL-REF "eu-west-1" is no value by itself: quote it if it is text, or name an attribute of it',
  ]);
});

test("unused variables and locals are warnings, unused data is information", async () => {
  expect(
    await hclLines({
      "main.tf": `variable "used" {}
variable "unused" {
  validation {
    condition     = var.unused != ""
    error_message = "Empty."
  }
}
locals {
  a = var.used
  b = local.a
}
data "aws_region" "current" {}
`,
    }),
  ).toEqual([
    'main.tf:2:1 warning HCL-UNUSED variable "unused" is declared but never used in its module',
    'main.tf:10:3 warning HCL-UNUSED local "b" is declared but never used in its module',
    "main.tf:12:1 info HCL-UNUSED data source data.aws_region.current is declared but never used in its module",
  ]);
});

test("calls of local modules are checked against their variables and outputs", async () => {
  expect(
    await hclLines({
      "main.tf": `module "net" {
  source = "./net"
  cidrs  = []
}
module "gone" {
  source = "./nowhere"
}
module "remote" {
  source = "git::https://example.com/x.git"
  any    = 1
}
output "x" {
  value = [module.net.vpc_idd, module.net["a"].vpc_id, module.remote.any, module.gone.y]
}
`,
      "net/main.tf": `variable "name" {}
variable "cidr" {
  default = ""
}
output "vpc_id" {
  value = "\${var.name}\${var.cidr}"
}
`,
    }),
  ).toEqual([
    'main.tf:1:1 error HCL-MODULE module "net" needs the argument "name" (net/main.tf:1 has no default)',
    'main.tf:3:3 error HCL-MODULE module "net" has no variable "cidrs" (declared in net). Did you mean cidr?',
    'main.tf:6:12 error HCL-MODULE the source "./nowhere" holds no Terraform files (nowhere)',
    'main.tf:13:12 error HCL-REF module "net" has no output "vpc_idd" (declared in net). Did you mean vpc_id?',
  ]);
});

test("a module's source may be changed by an override file or lie behind a link that is not read", async () => {
  await using dir = await tempDir({
    "main.tf": 'module "a" {\n  source = "./gone"\n}\nmodule "b" {\n  source = "./linked/x"\n}\n',
    "main_override.tf": 'module "a" {\n  source = "./here"\n}\n',
    "here/main.tf": "locals {}\n",
  });
  await symlink(dir.file("here"), dir.file("linked"));
  const { findings } = await fastValidate(dir.path, {}, signal);
  expect(findings.filter(({ code }) => code === "HCL-MODULE")).toEqual([]);
});

test("a provider alias that is neither configured nor passed in is an error", async () => {
  expect(
    await hclLines({
      "main.tf": `provider "aws" {
  alias = "west"
}
resource "aws_vpc" "a" {
  provider = aws.wset
}
module "m" {
  source    = "./m"
  providers = { aws = aws.west, aws.east = aws.north }
}
`,
      "m/main.tf": `terraform {
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      configuration_aliases = [aws.east]
    }
  }
}
resource "aws_vpc" "b" {
  provider = aws.east
}
`,
    }),
  ).toEqual([
    'main.tf:5:14 error HCL-REF no provider "aws" with the alias "wset" is configured in this module. Did you mean aws.west?',
    'main.tf:9:44 error HCL-REF no provider "aws" with the alias "north" is configured in this module.',
  ]);
});

test("duplicates, labels, required arguments and stray arguments are errors", async () => {
  expect(
    await hclLines({
      "a.tf": `variable "x" {}
resource "aws_vpc" {}
output "o" {}
output "v" {
  value = var.x
}
variable "count" {
  default = var.x
}
x = 1
resouce "a" "b" {}
resource "a" "b" {
  count    = 1
  for_each = {}
}
`,
      "b.tf": `variable "x" {}
resource "a" "b" {}
`,
    }),
  ).toEqual([
    "a.tf:2:1 error HCL-LABELS a resource block takes the labels type and name, not 1 label",
    'a.tf:3:1 error HCL-REQUIRED the output block needs "value"',
    'a.tf:7:1 warning HCL-UNUSED variable "count" is declared but never used in its module',
    'a.tf:7:10 error HCL-LABELS the variable name "count" is reserved for the module call itself',
    'a.tf:10:1 error HCL-BLOCK argument "x" stands outside of any block; move it into one (locals, for a value)',
    'a.tf:11:1 warning HCL-BLOCK unknown block type "resouce". Did you mean resource?',
    'a.tf:13:3 error HCL-REQUIRED "count" and "for_each" exclude each other',
    "b.tf:1:1 error HCL-DUPLICATE var.x is already declared at a.tf:1",
    "b.tf:2:1 error HCL-DUPLICATE a.b is already declared at a.tf:12",
  ]);
});

test("a lock file edited by hand is noticed, and one that the module's constraint rules out", async () => {
  const lines = await hclLines({
    "main.tf": `terraform {
  required_providers {
    aws = { source = "hashicorp/aws", version = ">= 6.0" }
  }
}
`,
    ".terraform.lock.hcl": `provider "registry.example/hashicorp/aws" {
  version     = "4.67.0"
  constraints = "~> 5.0"
  hashes      = ["h1:${"A".repeat(43)}=", "zh:123"]
}
`,
  });
  expect(lines.map((line) => line.slice(0, 90))).toEqual([
    ".terraform.lock.hcl:1:1 warning HCL-LOCK the lock file lacks the header of its tool: resto",
    ".terraform.lock.hcl:2:3 error HCL-LOCK registry.example/hashicorp/aws is locked to 4.67.0,",
    ".terraform.lock.hcl:2:3 warning HCL-LOCK provider aws is locked to 4.67.0, but the module ",
    ".terraform.lock.hcl:4:69 error HCL-LOCK a hash of registry.example/hashicorp/aws is malfor",
  ]);
});

test("valid code of every newer and rarer form gives no HCL finding", async () => {
  expect(
    await hclLines({
      "main.tf": `terraform {
  required_version = ">= 1.8"
  backend "s3" {}
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      version               = "~> 5.0"
      configuration_aliases = [aws.east]
    }
  }
}
provider "aws" {}
provider "aws" {
  alias = "west"
}
variable "rules" {
  type = map(object({ port = number, cidrs = optional(list(string), []) }))
  validation {
    condition     = alltrue([for r in var.rules : r.port > 0])
    error_message = "Port."
  }
}
variable "token" {
  type      = string
  ephemeral = true
}
locals {
  flat = flatten([for k, r in var.rules : [for c in r.cidrs : { key = k, cidr = c, port = r.port }]])
  text = <<-EOT
    %{for f in local.flat~}
    \${f.key} \${path.module} \${terraform.workspace}
    %{endfor~}
  EOT
  same = { for f in local.flat : f.key => f... }
  arn  = provider::aws::arn_parse("arn:aws:s3:::b").resource
}
resource "aws_security_group" "this" {
  provider = aws.west
  for_each = local.same
  name     = "\${each.key}-\${local.arn}-\${local.text}"
  dynamic "ingress" {
    for_each = each.value
    iterator = rule
    content {
      from_port = rule.value.port
      to_port   = rule.value["port"]
      dynamic "nested" {
        for_each = rule.value.cidrs
        labels   = [nested.key]
        content {
          cidr = "\${nested.value}-\${rule.key}"
        }
      }
    }
  }
  lifecycle {
    ignore_changes        = [tags["x"], description]
    replace_triggered_by  = [terraform_data.t.output, aws_instance.w[0]]
    create_before_destroy = true
    postcondition {
      condition     = self.name != ""
      error_message = "Name."
    }
  }
}
resource "terraform_data" "t" {
  input = resource.aws_instance.w[0].id
  provisioner "local-exec" {
    when       = destroy
    on_failure = continue
    command    = "echo \${self.input}"
  }
}
resource "aws_instance" "w" {
  count      = 2
  user_data  = "\${count.index}"
  depends_on = [aws_security_group.this, module.child]
  connection {
    host = self.public_ip
  }
}
module "child" {
  source    = "./child"
  providers = { aws = aws.west, aws.east = aws }
  for_each  = toset(["a"])
  name      = each.key
}
ephemeral "random_password" "p" {
  length = length(var.token)
}
output "o" {
  value = [
    module.child["a"].id, values(module.child)[*].id, [for m in module.child : m.id],
    ephemeral.random_password.p.result, aws_instance.w[*].id, aws_instance.w.*.id, aws_instance.w.0.id,
  ]
  precondition {
    condition     = length(var.rules) > 0
    error_message = "None."
  }
}
moved {
  from = aws_instance.old
  to   = aws_instance.w
}
removed {
  from = aws_instance.gone
  lifecycle {
    destroy = false
  }
}
import {
  for_each = var.rules
  to       = aws_instance.w[each.key]
  id       = each.value
}
check "health" {
  data "http" "up" {
    url = "https://example.com"
  }
  assert {
    condition     = data.http.up.status_code == 200
    error_message = "Down."
  }
}
`,
      "child/main.tf": `variable "name" {}
output "id" {
  value = var.name
}
`,
      "child/extra.tofu": `variable "only_tofu" {
  default = 1
}
locals {
  l = var.only_tofu
}
output "l" {
  value = local.l
}
`,
      "child/extra.tf": `variable "only_tofu" {}
`,
      "main_override.tf": `variable "rules" {
  default = {}
}
resource "aws_instance" "w" {
  count = 3
}
`,
      "x.tf.json": `{"locals": {"//": "c", "j": "\${var.token}"}, "output": {"j": {"value": "\${local.j}"}}}`,
      "tests/a.tftest.hcl": `run "x" {
  command = plan
  assert {
    condition     = output.o != null
    error_message = "x"
  }
}
`,
    }),
  ).toEqual([]);
});

test("a file that does not parse hides nothing wrongly: what it mentions is not called undeclared or unused", async () => {
  expect(
    await hclLines({
      "a.tf": 'output "o" {\n  value = [var.later, local.other]\n}\nvariable "early" {}\n',
      "b.tf": 'x = [ "\n}}} variable "later" {\n y = var.early.\n',
    }),
  ).toContain(
    'a.tf:2:23 error HCL-REF undeclared local value "other": this module declares none of that name.',
  );
  const { findings } = await check({
    "a.tf": 'output "o" {\n  value = var.later\n}\n',
    "b.tf": "}\nlater = [\n",
  });
  expect(findings.filter(({ code }) => code === "HCL-REF")).toEqual([]);
});

test("iac-code:ignore silences a code on its line or the line below, and is counted", async () => {
  const report = await check({
    "main.tf": `# iac-code:ignore HCL-UNUSED kept for callers
variable "a" {}
variable "b" {} # iac-code:ignore HCL-UNUSED, HCL-REF same
variable "c" {} # iac-code:ignore HCL-REF another code
`,
  });
  const unused = report.findings.filter(({ code }) => code === "HCL-UNUSED");
  expect(unused.map(({ line }) => line)).toEqual([4]);
  expect(report.ignored).toBe(2);
});

test("paths select findings, while the whole project is read", async () => {
  await using dir = await tempDir({
    "main.tf": 'variable "root" {}\nmodule "m" {\n  source = "./m"\n}\n',
    "m/main.tf": 'variable "need" {}\n',
  });
  const below = await fastValidate(dir.path, { paths: ["m"] }, signal);
  expect(new Set(below.findings.map(({ file }) => file))).toEqual(new Set(["m/main.tf"]));
  const one = await fastValidate(dir.path, { paths: ["main.tf"] }, signal);
  expect(one.findings.map(({ code }) => code)).toContain("HCL-MODULE");
});

test("what is not checked is said: generated references, charts, playbooks", async () => {
  const { notChecked, findings } = await check({
    "unit/terragrunt.hcl": 'generate "x" {\n',
    "unit/main.tf": 'output "o" {\n  value = var.generated\n}\n',
    "chart/Chart.yaml": "apiVersion: v2\nname: c\n",
    "play.yml": "- hosts: all\n  tasks: []\n",
  });
  expect(notChecked).toEqual([
    "References in unit: Terragrunt may generate what they refer to",
    "Helm charts: check the output of `helm template`",
    "Ansible playbooks: only ansible-lint (level full) reads them",
  ]);
  expect(findings.filter(({ code }) => code.startsWith("HCL-")).map(formatFinding)).toEqual([
    "unit/terragrunt.hcl:2:1 error HCL-SYNTAX The block generate is not closed: expected `}`",
  ]);
});

test("names in .tfvars files are checked, and no value of them is told", async () => {
  const { findings } = await check({
    "main.tf":
      'variable "region" {\n  type = string\n}\n\nvariable "db_password" {\n  type      = string\n  sensitive = true\n}\n\noutput "o" {\n  value     = [var.region, var.db_password]\n  sensitive = true\n}\n',
    "terraform.tfvars": 'regoin      = "hunter2-value"\ndb_password = "S3cr3t-w0rd-9x"\n',
    "other/prod.tfvars": 'anything = "hunter3-value"\n',
  });
  const told = findings.filter(({ file }) => file.endsWith(".tfvars")).map(formatFinding);
  expect(told).toContain(
    'terraform.tfvars:1:1 warning HCL-TFVARS a value for the variable "regoin", which this module does not declare. Did you mean region?',
  );
  expect(told.filter((line) => line.startsWith("terraform.tfvars:2:"))).toHaveLength(1);
  expect(told.join()).not.toMatch(/hunter|S3cr3t/);
});
