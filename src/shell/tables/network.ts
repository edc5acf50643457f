// Programs that talk to other machines: curl, wget, ssh, scp, rsync.

import {
  hasOption,
  type Invocation,
  mayHaveOption,
  operandWords,
  valuesOf,
} from "../invocation.ts";
import type { Word } from "../words.ts";
import type { CliTable, Verdict } from "./table.ts";
import { list } from "./verbs.ts";

const SENDS = list(
  "-d --data --data-raw --data-binary --data-urlencode --data-ascii --json -F --form --form-string -T --upload-file",
);

function methodClass(methods: readonly (string | undefined)[]): Verdict["class"] | undefined {
  if (methods.length === 0) return undefined;
  if (methods.includes(undefined)) return "unknown";
  if (methods.some((method) => method?.toUpperCase() === "DELETE")) return "destroy";
  return methods.every((method) => /^(GET|HEAD|OPTIONS)$/i.test(method ?? "")) ? "plan" : "mutate";
}

function inspectCurl(call: Invocation, verdict: Verdict): Verdict {
  if (call.words.length === 1 && hasOption(call, "-V", "--version"))
    return { ...verdict, class: "read" };
  const method = methodClass(valuesOf(call, "-X", "--request").map(({ text }) => text));
  const sends = mayHaveOption(call, ...SENDS);
  const asGet = hasOption(call, "-G", "--get");
  const outputs = valuesOf(
    call,
    "-o",
    "--output",
    "-D",
    "--dump-header",
    "-c",
    "--cookie-jar",
    "--trace",
    "--trace-ascii",
    "--stderr",
  ).filter(({ text }) => text !== "-");
  const sent = [
    ...valuesOf(call, "-T", "--upload-file").filter(({ text }) => text !== "-"),
    ...valuesOf(call, ...SENDS, "-H", "--header"),
  ].flatMap((word) => fileOfData(word));
  // Long options may be abbreviated; what is not written out in full cannot be read here.
  const short = ["--request", "--output", "--upload-file", "--cookie-jar", "--dump-header"].some(
    (name) =>
      mayHaveOption(call, name) &&
      !call.options.some((option) => option.name === name) &&
      call.options.some((option) => option.name.startsWith("--") && name.startsWith(option.name)),
  );
  const config = short || mayHaveOption(call, "-K", "--config", "--libcurl");
  if (config || call.dynamic)
    return { ...verdict, class: "unknown", reason: "its options are known only at run time" };
  if (mayHaveOption(call, "--remote-name", "--remote-name-all") || hasOption(call, "-O"))
    return {
      ...verdict,
      class: method === "destroy" ? "destroy" : sends || method === "mutate" ? "mutate" : "plan",
      reads: sent,
      writes: outputs,
      warnings: ["saves the answer under the name that the server gives"],
    };
  const commandClass = method ?? (sends && !asGet ? "mutate" : "plan");
  const raised = commandClass === "plan" && sends && !asGet ? "mutate" : commandClass;
  const reason =
    raised === "mutate"
      ? "sends data to a server"
      : raised === "destroy"
        ? "deletes over the network"
        : undefined;
  return {
    ...verdict,
    class: raised,
    reads: [...sent, ...operandWords(call).flatMap(localFile)],
    writes: outputs,
    ...(reason === undefined ? {} : { reason }),
  };
}

/** `-d @file`, `-F x=@file`, `-T file`. */
function fileOfData(word: Word): readonly Word[] {
  const at = word.text?.indexOf("@") ?? -1;
  if (at < 0 || word.text === undefined) return [];
  const path = word.text.slice(at + 1).split(";")[0] ?? "";
  return path === "" || path === "-" ? [] : [{ text: path, prefix: path }];
}

/** `file:///etc/passwd` reads a file here. */
function localFile(word: Word): readonly Word[] {
  const path = /^file:\/\/(?:localhost)?(\/.*)$/i.exec(word.text ?? "")?.[1];
  return path === undefined ? [] : [{ text: path, prefix: path }];
}

export const curl: CliTable = {
  name: "curl",
  programs: ["curl"],
  options: {
    clusters: true,
    withValue: [
      ...SENDS,
      ...list(
        "-X --request -H --header -o --output -u --user -A --user-agent -e --referer -b --cookie -c --cookie-jar -m --max-time --connect-timeout --retry --retry-delay -w --write-out -K --config --cacert --capath -E --cert --key --resolve -x --proxy -D --dump-header --url -r --range -U --proxy-user --interface --limit-rate --trace --trace-ascii --stderr --unix-socket --aws-sigv4 -C -y -Y -z -t -Q -P",
      ),
    ],
  },
  otherwise: "plan",
  inspect: inspectCurl,
};

export const wget: CliTable = {
  name: "wget",
  programs: ["wget", "aria2c"],
  options: {
    clusters: true,
    withValue: list(
      "-O --output-document -o --output-file -a --append-output -P --directory-prefix -i --input-file -t --tries -T --timeout -U --user-agent --header --post-data --post-file --method --body-data --body-file -e --execute -l --level -A -R -D -w --wait --user --password --use-askpass",
    ),
  },
  otherwise: "plan",
  inspect: (call, verdict) => {
    if (
      mayHaveOption(call, "-e", "--execute", "--use-askpass", "--config", "-i", "--input-file") ||
      call.dynamic
    )
      return {
        ...verdict,
        class: "unknown",
        reason: "its options may run programs or are known only at run time",
      };
    const method = methodClass(valuesOf(call, "--method").map(({ text }) => text));
    const sends = mayHaveOption(call, "--post-data", "--post-file", "--body-data", "--body-file");
    const outputs = valuesOf(
      call,
      "-O",
      "--output-document",
      "-o",
      "--output-file",
      "-a",
      "--append-output",
      "-P",
      "--directory-prefix",
    ).filter(({ text }) => text !== "-");
    const stays =
      hasOption(call, "--spider") ||
      valuesOf(call, "-O", "--output-document").some(({ text }) => text === "-");
    return {
      ...verdict,
      class: method ?? (sends ? "mutate" : "plan"),
      writes: outputs,
      reads: valuesOf(call, "--post-file", "--body-file"),
      ...(stays || outputs.length > 0
        ? {}
        : { warnings: ["saves the answer under the name that the server gives"] }),
    };
  },
};

const SSH_OPTIONS = {
  clusters: true,
  stopAtOperand: true,
  withValue: list("-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w"),
};

export const ssh: CliTable = {
  name: "ssh",
  programs: ["ssh", "mosh", "autossh", "sshpass"],
  options: SSH_OPTIONS,
  otherwise: "mutate",
  inspect: (call, verdict) => {
    if (call.program !== "ssh") return { ...verdict, class: "unknown" };
    const settings = valuesOf(call, "-o").map(({ text }) => text);
    if (
      settings.some(
        (text) =>
          text === undefined ||
          /^(ProxyCommand|LocalCommand|PermitLocalCommand|KnownHostsCommand|ProxyUseFdpass|Match)/i.test(
            text,
          ),
      ) ||
      hasOption(call, "-F", "-S", "-I") ||
      call.dynamic
    )
      return { ...verdict, class: "unknown", reason: "an option runs a program here" };
    if (call.operands.length === 0)
      return {
        ...verdict,
        class: call.options.length > 0 && hasOption(call, "-V") ? "read" : "unknown",
      };
    const words = operandWords(call, 1);
    if (words.some(({ text }) => text === undefined))
      return {
        ...verdict,
        class: "unknown",
        reason: "runs words known only at run time on another machine",
      };
    // A command of its own is joined and run by the other machine's shell.
    const runs =
      words.length === 0
        ? []
        : [
            {
              type: "script",
              text: words.map(({ text }) => text).join(" "),
              elsewhere: true,
            } as const,
          ];
    return { ...verdict, reason: "runs on another machine", runs, always: false };
  },
};

const REMOTE = /^[^/]*:|^\w+:\/\//;

export const copiersOverNetwork: CliTable = {
  name: "copiers-over-network",
  programs: ["scp", "rsync", "sftp", "rclone"],
  options: {
    clusters: true,
    withValue: list(
      "-P -i -o -F -J -l -c -S -e --rsh --rsync-path --exclude --include --filter --files-from --exclude-from --include-from --log-file --bwlimit --port -f --backup-dir --partial-dir -T --temp-dir",
    ),
  },
  otherwise: "mutate",
  inspect: (call, verdict) => {
    if (
      mayHaveOption(call, "-e", "--rsh", "--rsync-path", "-S", "-F", "-o") &&
      call.program !== "rclone"
    ) {
      const plain =
        valuesOf(call, "-e", "--rsh").every(({ text }) => text === "ssh") &&
        !hasOption(call, "-S", "-F", "--rsync-path") &&
        valuesOf(call, "-o").every(({ text }) => text !== undefined && !/Command/i.test(text));
      if (!plain) return { ...verdict, class: "unknown", reason: "an option runs a program" };
    }
    if (call.program === "sftp" || call.program === "rclone") return rclone(call, verdict);
    if (call.dynamic) return { ...verdict, class: "unknown" };
    const words = operandWords(call);
    const local = (part: readonly Word[]): readonly Word[] =>
      part.filter(({ text }) => text === undefined || !REMOTE.test(text));
    const files = { reads: local(words.slice(0, -1)), writes: local(words.slice(-1)) };
    if (call.program === "rsync" && hasOption(call, "-n", "--dry-run"))
      return { ...verdict, class: "plan", reads: files.reads };
    const removes =
      call.program === "rsync" &&
      (call.options.some(({ name }) => name.startsWith("--del")) ||
        mayHaveOption(call, "--remove-source-files"));
    if (removes)
      return {
        ...verdict,
        ...files,
        class: "destroy",
        reason: "deletes what is missing on the other side",
      };
    const stays =
      call.program === "rsync" &&
      words.every(({ text }) => text !== undefined && !REMOTE.test(text));
    return { ...verdict, ...files, class: stays ? "write" : "mutate" };
  },
};

function rclone(call: Invocation, verdict: Verdict): Verdict {
  const verb = call.operands[0]?.word.text ?? "";
  if (call.program === "sftp") return { ...verdict, class: "unknown" };
  if (/^(ls|lsd|lsl|lsf|lsjson|size|check|cat|tree|about|version)$/.test(verb))
    return { ...verdict, class: "plan" };
  return {
    ...verdict,
    class: /^(delete|purge|sync|move|moveto|cleanup|rmdir|rmdirs|deletefile|dedupe)$/.test(verb)
      ? "destroy"
      : /^(copy|copyto|mkdir|touch)$/.test(verb)
        ? "mutate"
        : "unknown",
  };
}
