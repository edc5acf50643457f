// Runs before every test file: no test may inherit a real key, a real home or an editor's settings.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";

for (const name of Object.keys(process.env)) {
  if (/(_API_KEY|_TOKEN)$/.test(name) || name.startsWith("IACCODE_") || name === "OLLAMA_HOST")
    delete process.env[name];
}
process.env["IACCODE_HOME"] = mkdtempSync(join(tmpdir(), "iac-code-test-home-"));
// In CI a failed property says what the change broke; new inputs are looked for wherever else the tests run.
if (process.env["CI"] !== undefined) fc.configureGlobal({ seed: 20_261_201 });
