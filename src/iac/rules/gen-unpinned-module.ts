// IAC-GEN-005: module has no fixed version.

import { find, member, textOf } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

function isGit(source: string): boolean {
  return /^git(::|@)|^(github|bitbucket)\.(com|org)\/|\.git(\?|\/\/|$)/.test(source);
}

/** `namespace/name/provider`, with a host before it or not. */
function isRegistry(source: string): boolean {
  return /^([\w.-]+\.[a-z]+\/)?[\w-]+\/[\w-]+\/[\w-]+(\/\/.*)?$/.test(source);
}

export const genUnpinnedModule: Rule = {
  id: "IAC-GEN-005",
  title: "Module has no fixed version",
  why: "What is deployed changes without a change here.",
  fix: "Set version for a registry module, or ?ref= with a tag or commit for a git one.",
  severity: "warning",
  check: onTypes(["module"], ({ body }) =>
    find(body, "source").flatMap(({ value, at }) => {
      const source = textOf(value);
      if (source === undefined || /^\.{0,2}\//.test(source) || source.startsWith(".")) return [];
      const isPinned = isGit(source)
        ? /[?&]ref=/.test(source)
        : member(body, "version") !== undefined || !isRegistry(source);
      return isPinned ? [] : [{ at, detail: source }];
    }),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `module "vpc" {
  source = "terraform-aws-modules/vpc/aws" # BAD
}`,
      passing: `module "vpc" {
  source = "terraform-aws-modules/vpc/aws"
  version = "5.1.2"
}`,
    },
    {
      dialect: "hcl",
      failing: `module "vpc" {
  source = "git::https://example.com/vpc.git" # BAD
}`,
      passing: `module "vpc" {
  source = "git::https://example.com/vpc.git?ref=v1.2.0"
}`,
    },
    {
      dialect: "hcl",
      failing: `module "vpc" {
  source = "github.com/example/vpc?depth=1" # BAD
}`,
      passing: `module "vpc" {
  source = "../modules/vpc"
}`,
    },
  ],
};
