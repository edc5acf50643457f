// Package managers. Installing runs code of the packages, so it is a change even where it stays in the project.

import { hasOption, type Invocation, operandWords } from "../invocation.ts";
import type { CliTable, Recipe, Verdict } from "./table.ts";
import { list, verbs } from "./verbs.ts";

const SCRIPT_VERBS = new Set(["run", "run-script", "rum", "urn"]);
const SHORT_SCRIPTS = new Set(["test", "t", "tst", "start", "stop", "restart"]);

function scriptRecipe(targets: readonly string[]): Recipe {
  return { kind: "npm", files: ["package.json"], targets };
}

export const nodePackages: CliTable = {
  name: "node-packages",
  programs: ["npm", "pnpm", "yarn", "bun", "corepack"],
  options: {
    clusters: false,
    withValue: list(
      "--prefix -w --workspace --filter --registry -C --dir --cwd --loglevel --tag --otp --omit --include --cache --userconfig -F --outdir --outfile --target --config -c",
    ),
    flags: list(
      "-g --global -D --save-dev -E --save-exact -s --silent --json -y --yes --force -f --if-present --no-audit --no-fund --ignore-scripts --frozen-lockfile --immutable --offline --help --version -v -h --long --all -r --recursive --verbose",
    ),
  },
  verbs: verbs(
    {
      read: "ls,list,ll,la,why,explain,help,version,root,prefix,bin,config get,config list,get,pkg get,licenses,pm ls,pm bin,pm cache,pm hash,info --offline,--version,-v",
      write:
        "init,pack,dedupe,prune,version patch,config set,pkg set,build,link,unlink,uninstall,remove,rm,un,r",
      plan: "view,info,show,v,outdated,audit,search,ping,whoami,doctor,fund,dist-tag ls,token list,pm ls --all",
      mutate:
        "install,i,in,ci,add,a,update,up,upgrade,install-test,rebuild,publish,dist-tag,login,logout,adduser,token,access,owner,deprecate,cache,import,audit fix,team,hook,org,patch,fetch,install-clean,clean-install,pm trust,enable,prepare",
      destroy: "unpublish",
      unknown: "create,exec,x,dlx,explore,edit,set-script",
    },
    { "": { class: "read" } },
  ),
  inspect: (call, verdict) => {
    const words = operandWords(call).map(({ text }) => text);
    const [verb, name] = words;
    if (verb === undefined)
      return bare(
        call.program,
        call.options.every(({ name: option }) =>
          /^(-v|--version|-h|--help|--revision)$/.test(option),
        ),
        verdict,
      );
    if (
      hasOption(
        call,
        "--prefix",
        "-C",
        "--dir",
        "--cwd",
        "-w",
        "--workspace",
        "--filter",
        "-r",
        "--recursive",
      ) &&
      (SCRIPT_VERBS.has(verb) || SHORT_SCRIPTS.has(verb))
    )
      return { ...verdict, class: "unknown", reason: "runs a script of another package" };
    if (verb === "test" && call.program === "bun")
      return { ...verdict, class: "unknown", reason: "runs the project's tests" };
    if (SCRIPT_VERBS.has(verb)) return runScript(call.program, name, words.length, verdict);
    if (SHORT_SCRIPTS.has(verb))
      return {
        ...verdict,
        class: "write",
        recipe: scriptRecipe([/^t(st)?$/.test(verb) ? "test" : verb]),
        always: false,
      };
    // yarn build, pnpm build, bun build.ts: a name that is no verb of theirs is a script.
    const isOwn = verdict.class !== "unknown" || /^(create|exec|x|dlx|explore|edit)$/.test(verb);
    if (isOwn || call.program === "npm") return verdict;
    return runScript(call.program, verb, words.length, verdict);
  },
};

function bare(program: string, onlyVersion: boolean, verdict: Verdict): Verdict {
  if (onlyVersion) return { ...verdict, class: program === "yarn" ? "mutate" : "read" };
  return { ...verdict, class: program === "yarn" ? "mutate" : "unknown" };
}

function runScript(
  program: string,
  name: string | undefined,
  length: number,
  verdict: Verdict,
): Verdict {
  if (name === undefined) return { ...verdict, class: length === 1 ? "read" : "unknown" };
  if (/[./]/.test(name) && program === "bun")
    return { ...verdict, class: "unknown", reason: "runs a program file" };
  return {
    ...verdict,
    class: "write",
    reason: "runs a script of package.json",
    recipe: scriptRecipe([name]),
    always: false,
  };
}

export const pythonPackages: CliTable = {
  name: "python-packages",
  programs: [
    "pip",
    "pip3",
    "poetry",
    "pipenv",
    "uv",
    "conda",
    "mamba",
    "pdm",
    "rye",
    "hatch",
    "pipx",
  ],
  options: {
    withValue: list(
      "-r --requirement -c --constraint -i --index-url -t --target --python -p -n --name -d --dest -o --output-file",
    ),
    flags: list(
      "-q --quiet -v --verbose -V --version --help -h -U --upgrade --user -e --dry-run --no-deps --outdated",
    ),
  },
  verbs: verbs({
    read: "list,show,freeze,check,help,version,config list,env list,env info,info,pip list,pip show,pip freeze,pip check,tree,graph,cache dir,debug,inspect,",
    write: "init,new,lock,build,venv,create,wheel,export,config set,pip compile,format",
    plan: "search,index,index versions,download,outdated",
    mutate:
      "install,add,remove,uninstall,sync,update,upgrade,publish,pip install,pip sync,pip uninstall,tool install,python install,cache,env remove,config,self update,ensurepath,inject",
    unknown: "run,shell,tool run,activate",
  }),
  lowers: { "--dry-run": "plan" },
  inspect: (call, verdict) =>
    call.program !== "conda" && verdict.class === "read" && hasOption(call, "--python", "-p")
      ? { ...verdict, class: "unknown", reason: "--python names the program that runs" }
      : verdict,
};

/** Settings and hooks given on the command line; macros of rpm that run programs. */
const SETTINGS =
  /^(-o\S*|--option(=.*)?|--config-file(=.*)?|--(pre|post)-invoke(=.*)?|--status-logger(=.*)?|--pipe(=.*)?|--eval(=.*)?|-E|--define(=.*)?|-D|--load(=.*)?|--rcfile(=.*)?|--macros(=.*)?|--hookdir(=.*)?|--admindir(=.*)?|--root(=.*)?)$|%\(|%\{lua/;

export const systemPackages: CliTable = {
  name: "system-packages",
  programs: [
    "apt",
    "apt-get",
    "apt-cache",
    "dpkg",
    "yum",
    "dnf",
    "apk",
    "brew",
    "pacman",
    "zypper",
    "snap",
    "choco",
    "winget",
    "port",
    "rpm",
    "tfenv",
    "tfswitch",
    "tofuenv",
    "asdf",
    "krew",
    "gem",
    "composer",
    "mise",
    "rtx",
  ],
  options: {
    clusters: false,
    withValue: list("-o --option -c --config-file -t --target-release"),
    flags: list(
      "-y --yes --assume-yes -q -qq --quiet -s --simulate --dry-run --no-install-recommends --help --version -l --list -L -S -s",
    ),
  },
  verbs: verbs({
    read: "list,show,search,info,policy,depends,rdepends,help,version,current,where,which,leaves,deps,config,doctor,--version,ls,",
    write: "tap,use,pin,unpin,local,shell",
    plan: "list-remote,outdated,list-all,check-update,changelog",
    mutate:
      "install,update,upgrade,full-upgrade,dist-upgrade,add,reinstall,link,unlink,services,cleanup,refresh,build-dep,download,require,localinstall,groupinstall,plugin,i",
    destroy: "remove,purge,autoremove,uninstall,erase,del,autoclean,clean,rm",
  }),
  lowers: { "--dry-run": "plan", "--simulate": "plan", "-s": "plan" },
  inspect: (call, verdict) => {
    const flags = call.words.flatMap(({ text }) => text ?? []);
    if (flags.some((flag) => SETTINGS.test(flag)))
      return { ...verdict, class: "unknown", reason: "an option may run a program" };
    if (call.program === "apt-cache") return { ...verdict, class: "read" };
    // dpkg, rpm and pacman say what they do with options.
    if (/^(dpkg|rpm|pacman)$/.test(call.program))
      return {
        ...verdict,
        class: flags.some(
          (flag) =>
            /^(-l|-L|-s|-S|--list|--status|--search|-q\w*|-Q\w*|-Ss|-Si|--version)$/.test(
              flags[0] ?? "",
            ) && flag === flags[0],
        )
          ? "read"
          : flags.some((flag) => /^(-r|-P|-e|-R\w*|--remove|--purge|--erase)$/.test(flag))
            ? "destroy"
            : "mutate",
      };
    return verdict;
  },
};

export const goAndCargo: CliTable = {
  name: "go-and-cargo",
  programs: ["go", "cargo", "rustup"],
  options: {
    withValue: list(
      "-o -C --manifest-path --target --features -p --package --bin --example -mod -tags -run -count -timeout",
    ),
    flags: list(
      "-v -x -race -json -m -u --release --all --workspace --locked --offline -q --quiet --version --help -h --dry-run --check",
    ),
  },
  verbs: verbs({
    read: "version,env,list,doc,help,--version,-V,tree,metadata,search,locate-project,pkgid,show,mod graph,mod why,mod verify,",
    write: "fmt,init,new,mod init,mod tidy,mod vendor,mod edit,clean,work,work init",
    plan: "fetch,mod download",
    mutate:
      "get,install,add,remove,update,publish,yank,login,uninstall,toolchain,target,component,default,self",
    // Building and testing run code of the project: build scripts, generators, tests.
    unknown: "build,test,run,generate,vet,check,bench,clippy,tool,fix,bug,telemetry,rustc,rustdoc",
  }),
  inspect: (call, verdict) =>
    call.words.some(({ text, prefix }) => LOADS_CODE.test(text ?? prefix))
      ? { ...verdict, class: "unknown", reason: "an option chooses what is built or with what" }
      : inspectGo(call, verdict),
};

/** Options of go and cargo that name programs, or make list and metadata build. */
const LOADS_CODE =
  /^--?(toolexec|vettool|exec|overlay|export|compiled|modfile)(=|$)|^--config(=|$)|^-Z|^\+/;

function inspectGo(call: Invocation, verdict: Verdict): Verdict {
  return call.program === "go" &&
    call.operands[0]?.word.text === "env" &&
    hasOption(call, "-w", "-u")
    ? { ...verdict, class: "mutate" }
    : call.program === "go" &&
        /^(build|vet)$/.test(call.operands[0]?.word.text ?? "") &&
        !call.words.some(({ text, prefix }) =>
          /^-(toolexec|vettool|exec|ldflags|gcflags)/.test(text ?? prefix),
        )
      ? { ...verdict, class: "write" }
      : verdict;
}
