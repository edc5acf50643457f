// Two versions of code compared without a plan.

import { expect, test } from "bun:test";
import { renderCard } from "../../../src/iac/plan/render.ts";
import { staticDiff } from "../../../src/iac/plan/static-diff.ts";

const diff = (before: string, after: string, path = "main.tf") =>
  staticDiff([{ path, text: before }], [{ path, text: after }], "HEAD");
const changesOf = (...versions: Parameters<typeof diff>) =>
  diff(...versions).card.changes.map(({ address, action, changed }) =>
    [address, action, ...changed].join(" "),
  );

test("blocks that come, go and differ are told, layout is not", () => {
  const before = `resource "aws_vpc" "a" { cidr_block = "10.0.0.0/16" }
resource "aws_vpc" "b" {
  cidr_block = "10.1.0.0/16"
  tags       = {}
}
module "net" { source = "./net" }
resource "aws_s3_bucket" "gone" {}
`;
  const after = `resource "aws_vpc" "a" {
  cidr_block = "10.0.0.0/16"
}
resource "aws_vpc" "b" {
  cidr_block = "10.2.0.0/16"
  tags       = {}
}
module "net" { source = "./other" }
resource "aws_eip" "new" {}
variable "x" {}
`;
  const { card, places } = diff(before, after);
  expect(changesOf(before, after)).toEqual([
    "aws_vpc.b update cidr_block",
    "module.net update source",
    "aws_eip.new create",
    "aws_s3_bucket.gone delete",
  ]);
  expect(card.verdict).toBe("danger");
  expect(places.get("aws_vpc.b")).toEqual({ file: "main.tf", line: 4, column: 1 });
  const text = renderCard(card);
  expect(text).toStartWith("## Static diff (not a plan): danger, 1 to create, 2 to change");
  expect(text).toContain("Also changed, with effects that only a plan can tell: 1 variable block.");
});

test("moved and removed blocks are a move and a forget", () => {
  const before = 'resource "aws_vpc" "a" {}\nresource "aws_db_instance" "d" {}\n';
  const after = `resource "aws_vpc" "b" {}
moved {
  from = aws_vpc.a
  to   = aws_vpc.b
}
removed {
  from = aws_db_instance.d
  lifecycle { destroy = false }
}
`;
  expect(changesOf(before, after)).toEqual(["aws_vpc.b move", "aws_db_instance.d forget"]);
  expect(diff(before, after).card.verdict).toBe("review");
});

test("what the new text opens and the old did not is newly public", () => {
  const rule = (cidr: string) => `resource "aws_security_group_rule" "ssh" {
  type        = "ingress"
  protocol    = "tcp"
  from_port   = 22
  to_port     = 22
  cidr_blocks = ["${cidr}"]
}
`;
  const kinds = (before: string, after: string) =>
    diff(before, after, "net/main.tf").card.concerns.map(
      ({ kind, address }) => `${kind} ${address ?? ""}`,
    );
  expect(kinds(rule("10.0.0.0/8"), rule("0.0.0.0/0"))).toEqual([
    "public net: aws_security_group_rule.ssh",
  ]);
  expect(kinds(rule("0.0.0.0/0"), `${rule("0.0.0.0/0")}\n`)).toEqual([]);
});

test("a resource that moves to another file is unchanged", () => {
  const block = 'resource "aws_vpc" "a" {}\n';
  const { card } = staticDiff(
    [{ path: "a.tf", text: block }],
    [{ path: "b.tf", text: block }],
    "HEAD",
  );
  expect(card.changes).toEqual([]);
});
