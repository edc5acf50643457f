// Wrappers of the system: other rights, another priority, another time.

import { list } from "./tables/verbs.ts";
import type { Wrapper } from "./wrapper.ts";
import { TOOL_WRAPPERS } from "./wrappers-of-tools.ts";

const SYSTEM_WRAPPERS: readonly Wrapper[] = [
  {
    programs: ["sudo"],
    options: {
      withValue: list(
        "-u --user -g --group -h --host -p --prompt -C --close-from -D --chdir -R --chroot -T --command-timeout -r --role -t --type -U --other-user",
      ),
      flags: list(
        "-A --askpass -b --background -E --preserve-env -H --set-home -n --non-interactive -P --preserve-groups -S --stdin -k --reset-timestamp -B --bell -i --login -s --shell",
      ),
      clusters: true,
    },
    assignments: true,
    directory: ["-D", "--chdir"],
    privileged: true,
  },
  {
    programs: ["doas"],
    options: { withValue: list("-u -C -a"), flags: list("-n -s -L"), clusters: true },
    assignments: true,
    privileged: true,
  },
  { programs: ["gosu", "su-exec"], skip: 1, privileged: true },
  {
    programs: ["runuser"],
    options: { withValue: list("-u --user -g --group -G --supp-group -c --command") },
    scripts: ["-c", "--command"],
    privileged: true,
  },
  {
    programs: ["su"],
    options: {
      withValue: list("-c --command -s --shell -g --group -G --supp-group"),
      flags: list("- -l --login -m -p --preserve-environment -f"),
      clusters: true,
    },
    scripts: ["-c", "--command"],
    privileged: true,
    skip: 1,
  },
  {
    programs: ["env"],
    options: {
      withValue: list("-u --unset -C --chdir -S --split-string"),
      flags: list("-i --ignore-environment -0 --null -v --debug"),
      clusters: true,
    },
    assignments: true,
    directory: ["-C", "--chdir"],
  },
  {
    programs: ["timeout", "gtimeout"],
    options: {
      withValue: list("-s --signal -k --kill-after"),
      flags: list("--foreground --preserve-status -v --verbose"),
      clusters: true,
    },
    skip: 1,
  },
  {
    programs: ["nice", "gnice"],
    options: {
      withValue: list("-n --adjustment"),
      flags: Array.from({ length: 40 }, (_v, n) => `-${n}`),
    },
  },
  {
    programs: ["ionice"],
    options: {
      withValue: list("-c --class -n --classdata"),
      flags: list("-t --ignore"),
      clusters: true,
    },
  },
  {
    programs: ["taskset", "chrt", "faketime"],
    skip: 1,
    options: { flags: list("-a -f -r -o -i -b"), clusters: true },
  },
  {
    programs: [
      "nohup",
      "builtin",
      "catchsegv",
      "caffeinate",
      "unbuffer",
      "winpty",
      "coproc",
      "eatmydata",
      "noglob",
      "nocorrect",
      "rlwrap",
    ],
    options: { flags: list("-i -d -s -m -p"), clusters: true },
  },
  {
    programs: ["setsid"],
    options: { flags: list("-c --ctty -f --fork -w --wait"), clusters: true },
  },
  {
    programs: ["stdbuf", "gstdbuf"],
    options: { withValue: list("-i --input -o --output -e --error"), clusters: true },
  },
  {
    programs: ["time"],
    options: {
      withValue: list("-f --format"),
      flags: list("-p --portability -v --verbose -a --append -q --quiet"),
      clusters: true,
    },
  },
  { programs: ["command"], options: { flags: list("-p -v -V"), clusters: true } },
  { programs: ["exec"], options: { withValue: ["-a"], flags: list("-c -l"), clusters: true } },
  {
    programs: ["strace", "ltrace"],
    options: {
      withValue: list("-e -s -p -u -E -a -O -S -P -I -b"),
      flags: list("-f -ff -c -C -t -tt -ttt -T -v -x -y -yy -q -r"),
      clusters: true,
    },
  },
  {
    programs: ["watch"],
    options: {
      withValue: list("-n --interval"),
      flags: list(
        "-d --differences -t --no-title -b --beep -e --errexit -g --chgexit -c --color -p --precise -x --exec -w --no-wrap",
      ),
      clusters: true,
    },
    joined: true,
  },
  {
    programs: ["flock"],
    options: {
      withValue: list("-w --timeout -E --conflict-exit-code -c --command"),
      flags: list(
        "-s --shared -x -e --exclusive -u --unlock -n --nb --nonblock -o --close -F --no-fork --verbose",
      ),
      clusters: true,
    },
    skip: 1,
    scripts: ["-c", "--command"],
  },
  {
    programs: [
      "chronic",
      "ts",
      "proxychains",
      "proxychains4",
      "torsocks",
      "firejail",
      "busybox",
      "toybox",
      "tini",
      "dumb-init",
    ],
    options: { flags: list("-q -s -g -v -c") },
  },
  { programs: ["cross-env"], assignments: true },
  {
    programs: ["entr"],
    options: { flags: list("-a -c -d -n -p -r -s -z"), clusters: true },
    joined: true,
  },
];

/** Every program that is seen through as data; the shells, xargs and parallel have code of their own. */
export const WRAPPERS: readonly Wrapper[] = [...SYSTEM_WRAPPERS, ...TOOL_WRAPPERS];
