// IAC-GEN-009: module is fetched over an insecure connection.

import { mustNotHold } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const genInsecureModuleSource: Rule = {
  id: "IAC-GEN-009",
  title: "Module is fetched over an insecure connection",
  why: "Who sits in between can change the code that is about to run with your credentials.",
  fix: "Use https or ssh.",
  severity: "warning",
  check: mustNotHold({ module: "source" }, (source) => /^(git::)?(http|git):\/\//.test(source)),
  examples: [
    {
      dialect: "hcl",
      failing: `module "vpc" {
  source = "http://example.com/vpc.zip" # BAD
}`,
      passing: `module "vpc" {
  source = "https://example.com/vpc.zip"
}`,
    },
  ],
};
