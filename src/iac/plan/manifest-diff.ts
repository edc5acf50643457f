// The text of `kubectl diff` and of the helm-diff plugin → a card. Only names of fields are taken from the lines.
// https://kubernetes.io/docs/reference/kubectl/generated/kubectl_diff/ · https://github.com/databus23/helm-diff

import { type Concern, makeCard, type PlanCard, type PlannedChange } from "./card.ts";
import { changeConcerns } from "./judge.ts";
import { looksLikeProduction } from "./place.ts";
import { heldBy } from "./stateful.ts";

const MAX_FIELDS = 20;
const MAX_NAMESPACES = 6;
// https://en.wikipedia.org/wiki/ANSI_escape_code: both tools colour their output on a terminal.
const COLOURS = /\u001b\[[0-9;]*m/g;

/** One object in a diff. */
type Piece = {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly action: "create" | "update" | "delete";
  readonly added: readonly string[];
  readonly removed: readonly string[];
};

const KUBECTL_HEADER =
  /^diff .*[/\\](?:LIVE|MERGED)-\d+[/\\](\S+) \S*[/\\](?:LIVE|MERGED)-\d+[/\\]\S+$/;
/** `default, web, Deployment (apps) has changed:`, and `… to be changed.` of its simple form. */
const HELM_HEADER =
  /^(\S*), (\S+), (\S+)(?: \([^)]*\))? (?:has (?:changed|been (added|removed))|changed ownership|to be (?:changed|(added|removed))|to change ownership)[:,.]?/;

/** `undefined` when the text is no output of `kubectl diff`. */
export function kubectlDiffCard(text: string): PlanCard | undefined {
  const pieces = split(text, KUBECTL_HEADER).map(({ match, lines }) => {
    const { kind, namespace, name } = objectOf(match[1] ?? "");
    const hunk = lines.find((line) => line.startsWith("@@")) ?? "";
    const action = hunk.startsWith("@@ -0,0 ")
      ? "create"
      : / \+0,0 @@/.test(hunk)
        ? "delete"
        : "update";
    return { kind, namespace, name, action, ...sides(lines) } as const;
  });
  return pieces.length === 0 ? undefined : manifestCard(pieces, "kubectl diff");
}

/** `undefined` when the text is no output of helm-diff. */
export function helmDiffCard(text: string): PlanCard | undefined {
  const pieces = split(text, HELM_HEADER).map(({ match, lines }): Piece => {
    const [, namespace = "", name = "", kind = "", ...verbs] = match;
    const verb = verbs.find((one) => one !== undefined);
    const action = verb === "added" ? "create" : verb === "removed" ? "delete" : "update";
    return { kind, namespace, name, action, ...sides(lines) };
  });
  return pieces.length === 0 ? undefined : manifestCard(pieces, "helm diff");
}

type Section = { readonly match: RegExpExecArray; readonly lines: string[] };

function split(text: string, header: RegExp): Section[] {
  const sections: Section[] = [];
  for (const line of text.replaceAll(COLOURS, "").split(/\r?\n/)) {
    const match = header.exec(line);
    if (match !== null) sections.push({ match, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

/** `apps.v1.Deployment.default.web`: group, version, kind, namespace, name; the name may hold dots. */
function objectOf(file: string): Pick<Piece, "kind" | "namespace" | "name"> {
  const parts = file.split(".");
  const at = parts.findIndex((part) => /^[A-Z]/.test(part));
  const [kind = file, namespace = "", ...name] = at === -1 ? [] : parts.slice(at);
  return { kind, namespace, name: name.join(".") };
}

function sides(lines: readonly string[]): Pick<Piece, "added" | "removed"> {
  const of = (sign: string) =>
    lines
      .filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3)))
      .map((line) => line.slice(1));
  return { added: of("+"), removed: of("-") };
}

function manifestCard(pieces: readonly Piece[], source: PlanCard["source"]): PlanCard {
  const changes = pieces.map(toChange);
  const namespaces = [...new Set(pieces.map(({ namespace }) => namespace))].filter(Boolean);
  const production = namespaces.find(looksLikeProduction);
  return makeCard({
    source,
    place: {
      accounts: [],
      regions: [],
      ...(namespaces.length === 0 ? {} : { namespaces: namespaces.slice(0, MAX_NAMESPACES) }),
    },
    changes,
    unchanged: 0,
    outputs: [],
    concerns: [
      ...changeConcerns(
        changes,
        production === undefined ? undefined : `the namespace (\`${production}\`)`,
      ),
      ...pieces.flatMap(exposed),
    ],
    notes: [],
  });
}

const addressOf = ({ kind, namespace, name }: Piece): string =>
  namespace === "" ? `${kind}/${name}` : `${namespace}/${kind}/${name}`;

function toChange(piece: Piece): PlannedChange {
  const holds = heldBy(piece.kind);
  return {
    address: addressOf(piece),
    type: piece.kind,
    action: piece.action,
    forcedBy: [],
    changed: piece.action === "update" ? fieldsOf([...piece.added, ...piece.removed]) : [],
    ...(holds === undefined ? {} : { holds }),
  };
}

function fieldsOf(lines: readonly string[]): string[] {
  const names = lines.flatMap((line) => /^\s*(?:- )?([\w.-]+|"[^"]+"):/.exec(line)?.[1] ?? []);
  return [...new Set(names)].filter((name) => name !== "generation").slice(0, MAX_FIELDS);
}

/** What an added line opens or grants, by kind of object where that matters. */
const OPENINGS: readonly (readonly [
  pattern: RegExp,
  concern: "public" | "iam",
  text: string,
  kind?: RegExp,
])[] = [
  [
    /^\s*type: ["']?(?:LoadBalancer|NodePort)\b/,
    "public",
    "becomes reachable from outside of the cluster",
    /^Service$/,
  ],
  [/^\s*hostNetwork: ["']?true\b/, "public", "shares the network of its node"],
  [/^\s*(?:- )?privileged: ["']?true\b/, "iam", "runs a privileged container"],
  [/^\s*name: ["']?cluster-admin\b/, "iam", "binds cluster-admin", /RoleBinding$/],
  [/^\s*- ["']?\*["']?\s*$/, "iam", "gains a wildcard", /Role$/],
];

function exposed(piece: Piece): Concern[] {
  if (piece.action === "delete") return [];
  return OPENINGS.flatMap(([pattern, kind, text, only]): Concern[] => {
    const isNew =
      piece.added.some((line) => pattern.test(line)) &&
      !piece.removed.some((line) => pattern.test(line));
    const isOf = only === undefined || only.test(piece.kind);
    return isNew && isOf ? [{ kind, level: "review", address: addressOf(piece), text }] : [];
  });
}
