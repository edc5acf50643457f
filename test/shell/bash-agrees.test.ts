// The analysis against bash itself: whenever bash really runs `terraform destroy`, the class must be destroy or above.
// Lines come from a grammar of shell constructs around disguised words; terraform is a script that only notes its words.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import fc from "fast-check";
import { rankOf } from "../../src/shell/analysis.ts";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { tempDir } from "../support/temp-dir.ts";

const BASH = Bun.which("bash");
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Ways to write a word that bash reads as that word. */
const DISGUISES: readonly ((word: string) => string)[] = [
  (word) => word,
  (word) => `"${word.slice(0, 2)}"${word.slice(2)}`,
  (word) => `${word.slice(0, 3)}'${word.slice(3)}'`,
  (word) => `\\${word}`,
  (word) => `$'\\x${word.charCodeAt(0).toString(16)}'${word.slice(1)}`,
  (word) => `$(echo ${word})`,
  (word) => `\`echo ${word}\``,
  (word) => `\${unset:-${word}}`,
  (word) => `${word.slice(0, 2)}{${word.slice(2)},}`,
  (word) => `"$(printf ${word})"`,
];

/** Constructs around a line. */
const AROUND: readonly ((line: string) => string)[] = [
  (line) => `(${line})`,
  (line) => `{ ${line}\n}`,
  (line) => `if false; then ls; else ${line}\nfi`,
  (line) => `for v in plan destroy; do ${line}\ndone`,
  (line) => `f() { ${line}\n}; f destroy x`,
  (line) => `bash -c ${quote(line)} terraform destroy`,
  (line) => `eval ${quote(line)}`,
  (line) => `echo "$(${line}\n)"`,
  (line) => `bash <<'E'\n${line}\nE`,
  (line) => `echo ls | bash <<< ${quote(line)}`,
  (line) => `echo ${quote(line)} | bash`,
  (line) => `case x in y) ls;; *) ${line}\n;; esac`,
  (line) => `trap ${quote(line)} EXIT`,
  (line) => `: <(${line}\n)`,
  (line) => `v=plan; v=destroy; ${line}`,
  (line) => `w=${quote(line)}; eval "$w"`,
  (line) => `echo $(( $(${line}\n) + 1 ))`,
  (line) => `true > f && ${line}`,
];

const word = (text: string) => fc.constantFrom(...DISGUISES).map((disguise) => disguise(text));
const verb = fc.constantFrom("destroy", "destroy", "plan").chain(word);
const simple = fc.oneof(
  fc.tuple(word("terraform"), verb).map(([program, given]) => `${program} ${given}`),
  verb.map((given) => `x=terraform; $x ${given}`),
  verb.map((given) => `x=${given}; terraform $x > f 2>&1`),
  verb.map((given) => `set -- terraform ${given}; "$@"`),
  verb.map((given) => `x=(terraform ${given}); "\${x[@]}"`),
  verb.map((given) => `read x <<< ${given}; terraform $x`),
  fc.constantFrom("terraform $v", 'terraform "$1"', '"$@"', "> f terraform $v", "A=1 terraform $v"),
);
const lines = fc
  .tuple(simple, fc.array(fc.constantFrom(...AROUND), { maxLength: 3 }))
  .map(([line, around]) => around.reduce((inner, wrap) => wrap(inner), line));

test.skipIf(BASH === null)(
  "whenever bash really runs terraform destroy, the analysis says destroy or unknown (needs bash)",
  async () => {
    await using dir = await tempDir({ "bin/terraform": `#!${BASH}\necho "$*" >> "$LOG"\n` });
    await chmod(dir.file("bin/terraform"), 0o755);
    await mkdir(dir.file("work"));
    let run = 0;
    let destroyed = 0;
    await fc.assert(
      fc.asyncProperty(lines, async (line) => {
        run += 1;
        const log = dir.file(`log-${run}`);
        const child = Bun.spawn([BASH ?? "bash", "-c", line], {
          cwd: dir.file("work"),
          env: { PATH: `${dir.file("bin")}:/usr/bin:/bin`, LOG: log },
          stdio: ["ignore", "ignore", "ignore"],
          timeout: 5_000,
        });
        await child.exited;
        if (!existsSync(log) || !/^destroy/m.test(readFileSync(log, "utf8"))) return;
        destroyed += 1;
        const found = await analyzeCommand(line, { cwd: dir.path, env: { PATH: "/usr/bin:/bin" } });
        expect(rankOf(found.class)).toBeGreaterThanOrEqual(rankOf("destroy"));
      }),
      { numRuns: 250 },
    );
    expect(destroyed).toBeGreaterThan(20);
  },
  60_000,
);
