// Programs that make, move and remove files.

import {
  hasOption,
  type Invocation,
  mayHaveOption,
  operandWords,
  valuesOf,
} from "../invocation.ts";
import { basename } from "node:path/posix";
import { literal, type Word } from "../words.ts";
import type { CliTable, Verdict } from "./table.ts";
import { list } from "./verbs.ts";

const CLUSTERS = { clusters: true } as const;

export const rm: CliTable = {
  name: "rm",
  programs: ["rm", "unlink", "rmdir", "trash", "srm"],
  options: CLUSTERS,
  otherwise: { class: "write", files: "write" },
  inspect: (call, verdict) => {
    const recursive = mayHaveOption(call, "-r", "-R", "--recursive");
    const wide = operandWords(call).some(
      ({ text }) => text !== undefined && /^(\/|~\/?|\.\.?\/?|\*|\/\*)$/.test(text),
    );
    // What `find` hands over is a pattern below a folder.
    const swept = operandWords(call).some(({ text }) => text?.includes("/**/") === true);
    if (recursive || swept || (wide && call.program === "rm"))
      return {
        ...verdict,
        class: "destroy",
        reason: "deletes a folder and everything in it",
        warnings: riskOfFolders(call),
      };
    return call.dynamic && call.program === "rm"
      ? { ...verdict, class: "unknown", reason: "what it deletes is known only at run time" }
      : { ...verdict, reason: "deletes files" };
  },
};

function riskOfFolders(call: Invocation): readonly string[] {
  const wide = operandWords(call).filter(
    ({ text }) =>
      text === undefined || /^(\/|~\/?|\.\.?\/?|\.?\/?\*|\/\*)$|\.terraform|\.git\/?$/.test(text),
  );
  return wide.length === 0
    ? []
    : [
        `state files at risk: everything below ${wide.map(({ text }) => text ?? "a folder known only at run time").join(", ")}`,
      ];
}

export const shred: CliTable = {
  name: "shred",
  programs: [
    "shred",
    "truncate",
    "wipe",
    "wipefs",
    "mkfs",
    "mkfs.ext4",
    "mkfs.xfs",
    "fdisk",
    "parted",
    "blkdiscard",
  ],
  options: { clusters: true, withValue: list("-s --size -n --iterations -r --reference") },
  otherwise: {
    class: "destroy",
    files: "write",
    reason: "overwrites what the file or device holds",
  },
  inspect: (call, verdict) =>
    call.program === "truncate" &&
    valuesOf(call, "-s", "--size").every(({ text }) => text?.startsWith("+") === true) &&
    hasOption(call, "-s", "--size")
      ? { ...verdict, class: "write" }
      : verdict,
};

/** cp, mv and ln: the last operand, or -t, is written; mv also takes away its sources. */
function inspectCopy(call: Invocation, verdict: Verdict): Verdict {
  const operands = operandWords(call);
  const target = valuesOf(call, "-t", "--target-directory");
  const sources = target.length > 0 ? operands : operands.slice(0, -1);
  const last = target.length > 0 ? target : operands.slice(-1);
  // A second name for a file writes to it: what is written under the new name changes the old one.
  const shares =
    (call.program === "ln" && !mayHaveOption(call, "-s", "--symbolic")) ||
    (/^g?cp$/.test(call.program) && mayHaveOption(call, "-l", "--link"));
  const takesAway = /^g?mv$/.test(call.program) || shares;
  const inside = sources.flatMap((source) => last.flatMap((folder) => intoFolder(folder, source)));
  return {
    ...verdict,
    class: "write",
    reads: sources,
    writes: [...last, ...inside, ...(takesAway ? sources : [])],
  };
}

/** `cp terraform.tfstate backup/` writes backup/terraform.tfstate: only what a name makes certain. */
function intoFolder(folder: Word, source: Word): readonly Word[] {
  if (
    folder.text === undefined ||
    source.text === undefined ||
    !/(^|\/)\.{0,2}\/?$/.test(folder.text)
  )
    return [];
  return [literal(`${folder.text.replace(/\/$/, "")}/${basename(source.text)}`)];
}

export const copiers: CliTable = {
  name: "copiers",
  programs: ["cp", "mv", "ln", "install", "gcp", "gmv"],
  options: {
    clusters: true,
    withValue: list("-t --target-directory -S --suffix -m --mode -o --owner -g --group"),
  },
  otherwise: "write",
  inspect: inspectCopy,
};

/** Compressors read what they are given and write beside it. */
function packed(call: Invocation, verdict: Verdict): Verdict {
  const reads = operandWords(call);
  if (call.program !== "zip" && hasOption(call, "-l", "-t", "--list", "--test"))
    return { ...verdict, class: "read", reads, writes: [] };
  const runs = call.program === "zip" && mayHaveOption(call, "-T", "-TT", "--unzip-command");
  return runs
    ? { ...verdict, class: "unknown", reason: "an option runs a program" }
    : { ...verdict, reads };
}

export const makers: CliTable = {
  name: "makers",
  programs: [
    "mkdir",
    "touch",
    "mktemp",
    "mkfifo",
    "tee",
    "split",
    "csplit",
    "patch",
    "dos2unix",
    "unix2dos",
    "gzip",
    "gunzip",
    "bzip2",
    "xz",
    "zstd",
    "zip",
  ],
  // As with the readers, no option takes the next word: `-a` is a flag of tee, `-p` of mkdir.
  options: { clusters: true },
  otherwise: { class: "write", files: "write" },
  inspect: (call, verdict) => {
    if (call.program === "mktemp") return { ...verdict, writes: [] };
    if (call.program === "split" || call.program === "csplit") {
      if (mayHaveOption(call, "--filter"))
        return { ...verdict, class: "unknown", reason: "--filter runs a program" };
      return { ...verdict, reads: operandWords(call) };
    }
    if (/^(gzip|gunzip|bzip2|xz|zstd|zip)$/.test(call.program)) return packed(call, verdict);
    if (call.program === "patch") return { ...verdict, always: false };
    return verdict;
  },
};

export const unzip: CliTable = {
  name: "unzip",
  programs: ["unzip"],
  options: { clusters: true, withValue: ["-d", "-P"] },
  otherwise: "write",
  inspect: (call, verdict) => {
    const reads = operandWords(call).slice(0, 1);
    if (hasOption(call, "-l", "-t", "-v", "-Z")) return { ...verdict, class: "read", reads };
    return { ...verdict, reads, writes: valuesOf(call, "-d"), always: false };
  },
};

export const modes: CliTable = {
  name: "modes",
  programs: ["chmod", "chown", "chgrp", "setfacl", "chattr", "xattr"],
  options: CLUSTERS,
  otherwise: "write",
  inspect: (call, verdict) => {
    const writes = operandWords(call, 1);
    const recursive = mayHaveOption(call, "-R", "--recursive");
    return {
      ...verdict,
      class: recursive ? "mutate" : "write",
      writes,
      ...(recursive ? { reason: "changes rights of a whole folder" } : {}),
    };
  },
};

export const dd: CliTable = {
  name: "dd",
  programs: ["dd"],
  otherwise: "write",
  inspect: (call, verdict) => {
    const named = (key: string): readonly Word[] =>
      operandWords(call).flatMap((word) =>
        word.prefix.startsWith(`${key}=`)
          ? [{ text: word.text?.slice(key.length + 1), prefix: word.prefix.slice(key.length + 1) }]
          : [],
      );
    const writes = named("of");
    return {
      ...verdict,
      class: call.dynamic ? "unknown" : writes.length > 0 ? "write" : "read",
      reads: named("if"),
      writes,
    };
  },
};

export const tar: CliTable = {
  name: "tar",
  programs: ["tar", "gtar", "bsdtar", "cpio"],
  options: {
    clusters: true,
    withValue: list(
      "-f --file -C --directory --exclude -I --use-compress-program --to-command --checkpoint-action --transform -T --files-from",
    ),
  },
  otherwise: "write",
  inspect: (call, verdict) => {
    if (
      mayHaveOption(
        call,
        "--to-command",
        "--checkpoint-action",
        "-I",
        "--use-compress-program",
        "--info-script",
        "--new-volume-script",
        "-F",
        "--rsh-command",
        "--rmt-command",
        "--index-file",
      )
    )
      return { ...verdict, class: "unknown", reason: "an option runs a program" };
    const old = call.words[0]?.text;
    const letters = old !== undefined && /^[a-zA-Z]+$/.test(old) ? old : "";
    if (/[IF]/.test(letters))
      return { ...verdict, class: "unknown", reason: "an option runs a program" };
    const lists =
      (letters.includes("t") || hasOption(call, "-t", "--list")) &&
      !letters.match(/[xcru]/) &&
      !mayHaveOption(call, "-x", "--extract", "--get", "-c", "--create", "-r", "-u", "--delete");
    const files = valuesOf(call, "-f", "--file");
    const operands = operandWords(call, letters === "" ? 0 : 1);
    const archive = files.length > 0 ? files : letters.includes("f") ? operands.slice(0, 1) : [];
    // `-f host:file` starts a remote shell.
    if (archive.some(({ text }) => /^[^/]*:/.test(text ?? "")))
      return { ...verdict, class: "unknown", reason: "reaches another machine" };
    if (lists) return { ...verdict, class: "read", reads: archive };
    const creates = letters.includes("c") || hasOption(call, "-c", "--create");
    const members = files.length > 0 ? operands : operands.slice(1);
    if (creates)
      return {
        ...verdict,
        reads: [...members, ...valuesOf(call, "-C", "--directory")],
        writes: archive,
      };
    return {
      ...verdict,
      reads: archive,
      writes: valuesOf(call, "-C", "--directory"),
      always: false,
    };
  },
};
