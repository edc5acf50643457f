// git: verbs, the flags that destroy, and configuration on the command line that runs programs.

import {
  hasOption,
  type Invocation,
  mayHaveOption,
  operandWords,
  valuesOf,
} from "../invocation.ts";
import { literal, type Word } from "../words.ts";
import { GIT_BY_FLAGS } from "./git-flags.ts";
import type { CliTable, Run, Verdict } from "./table.ts";
import { list, verbs } from "./verbs.ts";

const HARMLESS_CONFIG =
  /^((color|user|advice|init|status|column|pull|feature)\.[\w.-]+|core\.(quotepath|autocrlf|safecrlf|ignorecase|fileMode|abbrev)|log\.\w+|diff\.(renames|algorithm|noprefix|mnemonicPrefix|context|wordRegex|colorMoved)|commit\.gpgsign|safe\.directory|http\.postBuffer|protocol\.version|push\.default|fetch\.prune|gc\.auto)(=|$)|^(pager\.\w+=(false|cat|0)|core\.pager=(cat)?)$/i;

/** `-c alias.x='!cmd'` and `core.pager=cmd` run a program; everything that is not known to be harmless counts as that. */
function configRuns(call: Invocation): { runs: Run[]; unsafe: string | undefined } {
  const runs: Run[] = [];
  let unsafe: string | undefined;
  for (const word of valuesOf(call, "-c", "--config-env")) {
    const setting = word.text;
    if (setting === undefined) unsafe = "-c sets something known only at run time";
    else if (!HARMLESS_CONFIG.test(setting)) {
      unsafe = `-c ${setting.split("=")[0] ?? ""} may run a program`;
      const value = setting.slice(setting.indexOf("=") + 1);
      if (value.startsWith("!")) runs.push({ type: "script", text: value.slice(1) });
      else if (
        /^(core\.(pager|editor|sshCommand|fsmonitor|hooksPath)|pager\.|diff\.external|credential\.)/i.test(
          setting,
        )
      )
        runs.push({ type: "script", text: value });
    }
  }
  return { runs, unsafe };
}

/** Options of reading verbs that write a file or run a program. */
function sideEffects(call: Invocation, verdict: Verdict, verb: string): Verdict {
  const outputs: readonly Word[] = valuesOf(call, "--output");
  if (outputs.length > 0 && verdict.class === "read")
    return { ...verdict, class: "write", writes: outputs };
  if (
    verdict.class === "read" &&
    mayHaveOption(call, "--output") &&
    !hasOption(call, "--oneline", "--origin")
  )
    return { ...verdict, class: "unknown", reason: "an option may write a file" };
  if (
    mayHaveOption(
      call,
      "--ext-diff",
      "--textconv",
      "--open-files-in-pager",
      "-O",
      "--upload-pack",
      "--receive-pack",
      "--exec-path",
      "--template",
      "--sendmail-cmd",
    ) ||
    (/^(clone|init)$/.test(verb) && mayHaveOption(call, "-u", "--config", "-c")) ||
    (verb !== "rebase" && mayHaveOption(call, "--exec"))
  )
    return { ...verdict, class: "unknown", reason: "an option runs a program" };
  return verdict;
}

/** Verbs that print the content of files they name. */
const PRINTS_FILES = new Set(["grep", "diff", "show", "cat-file", "blame", "annotate"]);

function inspect(call: Invocation, verdict: Verdict): Verdict {
  const verb = call.operands[0]?.word.text ?? "";
  const { runs, unsafe } = configRuns(call);
  const byFlags = GIT_BY_FLAGS.get(verb)?.(call, verdict) ?? verdict;
  const seen = sideEffects(call, byFlags, verb);
  const away = valuesOf(call, "-C", "--git-dir", "--work-tree", "--contents", "--file");
  const searched = verb === "grep" && call.operands.length < 3 ? [literal(".")] : [];
  // Files that verbs take away or overwrite.
  const taken = /^(rm|mv)$/.test(verb) ? operandWords(call, 1) : [];
  // `HEAD:.env` names a file of another commit; its path is what a rule about the file looks at.
  const files = operandWords(call, 1).flatMap(({ text }) =>
    text === undefined ? [] : [literal(text.replace(/^[^:]*:/, ""))],
  );
  const result: Verdict = {
    ...seen,
    writes: [...(seen.writes ?? []), ...taken],
    reads: [
      ...(seen.reads ?? []),
      ...away,
      ...searched,
      ...(PRINTS_FILES.has(verb) || (verb === "config" && hasOption(call, "-f")) ? files : []),
    ],
    runs: [...(seen.runs ?? []), ...runs],
  };
  // A folder that is not called .git may bring its own settings: any file tool can have written them.
  if (
    valuesOf(call, "--git-dir").some(
      ({ text }) => text === undefined || !/(^|\/)\.git\/?$/.test(text),
    )
  )
    return {
      ...result,
      class: "unknown",
      reason: "the settings of that repository may name programs",
    };
  if (call.words.some(({ text }) => /(^|=)ext::/.test(text ?? "")))
    return { ...result, class: "unknown", reason: "ext:: runs a program" };
  if (unsafe !== undefined) return { ...result, class: "unknown", reason: unsafe };
  if (
    verb === "" &&
    call.options.every(({ name }) =>
      /^--?(version|help|v|h|exec-path|html-path|man-path)$/.test(name),
    )
  )
    return { ...result, class: "read" };
  return result;
}

export const git: CliTable = {
  name: "git",
  programs: ["git"],
  options: {
    clusters: true,
    withValue: list(
      "-C -c --git-dir --work-tree --namespace --config-env -m --message --author --date -b -B -o --output -x --exec --since --until --after --before --grep -S -G -L --pretty --depth --branch --upload-pack --receive-pack --contents --file --remote --template --config --onto --strategy",
    ),
    flags: list(
      "-p --paginate -P --no-pager --no-optional-locks --bare --no-replace-objects --literal-pathspecs --glob-pathspecs --icase-pathspecs --no-lazy-fetch --version --help -v -h --html-path --man-path --info-path --exec-path",
    ),
  },
  verbs: verbs(
    {
      read: "status,diff,log,show,ls-files,ls-tree,blame,annotate,grep,rev-parse,rev-list,describe,shortlog,cat-file,show-ref,for-each-ref,name-rev,merge-base,diff-tree,diff-index,diff-files,count-objects,fsck,check-ignore,check-attr,var,version,help,whatchanged,reflog,cherry,range-diff,symbolic-ref --short,verify-commit,verify-tag,config,remote,branch,tag,",
      write:
        "add,commit,stash,stage,init,mv,cherry-pick,revert,merge,rebase,am,apply,format-patch,archive,bundle,gc,repack,notes,worktree,sparse-checkout,bisect,switch,checkout,reset,rerere,commit-tree,write-tree,hash-object,update-index,read-tree,merge-file,mergetool,difftool,maintenance,pack-refs,symbolic-ref,submodule,lfs",
      plan: "fetch,ls-remote",
      mutate:
        "push,pull,clone,rm,send-email,credential,svn,request-pull,update-ref,replace,filter-repo",
      destroy: "clean,restore,prune,filter-branch",
    },
    {
      restore: { class: "destroy", reason: "throws away changes in files" },
      "reflog expire": { class: "destroy", reason: "removes the way back to lost commits" },
      mergetool: "unknown",
      difftool: "unknown",
    },
  ),
  inspect,
};
