// The page of rules says what the rules say.

import { expect, test } from "bun:test";
import { RULE_DOCS_PATH, renderRuleDocs } from "../support/rule-docs.ts";

test("docs/rules.md is what the rules make it; `bun test/support/rule-docs.ts` writes it", async () => {
  expect(await Bun.file(RULE_DOCS_PATH).text()).toBe(renderRuleDocs());
});
