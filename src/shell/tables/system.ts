// Processes, services and the machine itself.

import { hasOption, operandWords } from "../invocation.ts";
import type { CliTable } from "./table.ts";
import { list, verbs } from "./verbs.ts";

export const processes: CliTable = {
  name: "processes",
  programs: [
    "kill",
    "pkill",
    "killall",
    "renice",
    "fuser",
    "bg",
    "fg",
    "disown",
    "suspend",
    "logger",
    "sync",
    "ionice",
    "exec",
  ],
  otherwise: "mutate",
  inspect: (call, verdict) => {
    if (call.program === "kill" && hasOption(call, "-l", "-L", "-0") && call.operands.length <= 1)
      return { ...verdict, class: "read" };
    // `exec > file` alone only moves this shell's output.
    if (call.program === "exec")
      return { ...verdict, class: call.operands.length === 0 ? "read" : "unknown" };
    if (/^(sync|bg|fg|disown)$/.test(call.program)) return { ...verdict, class: "read" };
    return { ...verdict, reason: "changes or ends running processes" };
  },
};

export const machine: CliTable = {
  name: "machine",
  programs: list(
    "shutdown reboot poweroff halt init telinit swapoff swapon mount umount modprobe rmmod insmod iptables ip6tables nft ufw firewall-cmd useradd userdel usermod groupadd passwd chpasswd visudo sysctl",
  ),
  otherwise: { class: "mutate", reason: "changes the machine" },
  inspect: (call, verdict) => {
    if (/^(shutdown|reboot|poweroff|halt|init|telinit|userdel)$/.test(call.program))
      return { ...verdict, class: "destroy", reason: "stops the machine or removes a user" };
    if (call.program === "mount" && call.words.length === 0) return { class: "read" };
    if (
      call.program === "sysctl" &&
      !hasOption(call, "-w", "-p", "--write", "--load") &&
      operandWords(call).every(({ text }) => text?.includes("=") === false)
    )
      return { class: "read" };
    return verdict;
  },
};

export const services: CliTable = {
  name: "services",
  programs: [
    "systemctl",
    "journalctl",
    "service",
    "launchctl",
    "timedatectl",
    "hostnamectl",
    "loginctl",
  ],
  options: {
    clusters: true,
    withValue: list(
      "-u --unit -n --lines --since --until -p --priority -o --output -t --type --state -H --host -M --machine",
    ),
  },
  verbs: verbs({
    read: "status,list-units,list-unit-files,list-timers,list-sockets,show,cat,is-active,is-enabled,is-failed,get-default,list-dependencies,list,",
    mutate:
      "start,restart,reload,enable,daemon-reload,edit,set-default,try-restart,unmask,reset-failed,preset,set-property,load",
    destroy: "stop,disable,mask,kill,isolate,halt,poweroff,reboot,rescue,emergency,unload,suspend",
  }),
  inspect: (call, verdict) => {
    if (call.program === "journalctl")
      return {
        ...verdict,
        class: call.options.some(
          ({ name }) => name.startsWith("--vacuum") || name === "--rotate" || name === "--flush",
        )
          ? "destroy"
          : "read",
      };
    if (call.program !== "service") return verdict;
    const verb = call.operands[1]?.word.text;
    return {
      ...verdict,
      class:
        verb === "status"
          ? "read"
          : verb === "stop"
            ? "destroy"
            : verb === undefined
              ? "unknown"
              : "mutate",
    };
  },
};
