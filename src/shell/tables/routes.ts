// Names, routes and sockets: looking is harmless, the same programs also change the network.

import { mayHaveOption, operandWords, readInvocation } from "../invocation.ts";
import type { CliTable } from "./table.ts";

export const lookups: CliTable = {
  name: "lookups",
  programs: ["dig", "nslookup", "host", "ping", "ping6", "traceroute", "tracepath", "mtr", "whois"],
  otherwise: "plan",
};

export const sockets: CliTable = {
  name: "sockets",
  programs: ["ss", "netstat", "ip", "ifconfig", "route", "arp"],
  otherwise: "read",
  inspect: (call, verdict) => {
    const words = operandWords(readInvocation(call.program, call.words, {})).map(
      ({ text }) => text,
    );
    if (call.program === "ss")
      return mayHaveOption(call, "-K", "--kill", "-D", "--diag")
        ? { ...verdict, class: "mutate" }
        : verdict;
    const changes =
      (call.program === "arp" &&
        mayHaveOption(call, "-s", "-d", "--set", "--delete", "-f", "--file")) ||
      (call.program === "ip" && call.options.some(({ name }) => /^--?b/.test(name))) ||
      words.some(
        (word) =>
          word === undefined ||
          /^(add|del|delete|set|change|replace|flush|append|exec|up|down|a|d|s|f)$/.test(word),
      ) ||
      (call.program === "ifconfig" && words.length > 1);
    return changes
      ? {
          ...verdict,
          class: words.includes("exec") ? "unknown" : "mutate",
          reason: "changes the network",
        }
      : verdict;
  },
};
