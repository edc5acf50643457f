// A card → Markdown for a person, a permission question and the model. Its length does not depend on the plan's: what
// is alike is grouped, and what is cut is counted.

import { count, escapeInvisible } from "../../lib/text.ts";
import {
  type ChangeAction,
  type Concern,
  CONCERN_KINDS,
  type Counts,
  type PlanCard,
  type PlanPlace,
  type PlannedChange,
  VERDICTS,
} from "./card.ts";
import { whyText } from "./judge.ts";

/** Lines of one section. */
const MAX_ROWS = 40;
/** Lines of one kind of concern. */
const MAX_CONCERNS = 25;
/** Addresses named of one type in a group. */
const MAX_NAMED = 3;
const MAX_TYPES = 30;
const MAX_ATTRIBUTES = 12;
const MAX_NAME_LENGTH = 160;
const MAX_TEXT_LENGTH = 400;
/** UTF-16 units of a whole card; the sections above keep far below it but for very long names. */
const MAX_CARD_LENGTH = 24_000;

const TITLES: Readonly<Record<ChangeAction, string>> = {
  replace: "Replace",
  delete: "Destroy",
  forget: "Forget (leaves the state, goes on to exist)",
  update: "Change",
  create: "Create",
  move: "Move",
  import: "Import",
  read: "Read",
};
const CONCERN_TITLES: Readonly<Record<Concern["kind"], string>> = {
  state: "State",
  loss: "Data loss",
  production: "Production",
  delete: "Destroyed",
  replace: "Replaced",
  forget: "Forgotten",
  public: "Newly public",
  iam: "Permissions widened",
  drift: "Drift",
  check: "Failed checks",
  unknown: "Not known yet",
  error: "Errors",
};

/** `3 to create, 1 to change, 1 to replace`; only what is there. */
export function countsText(counts: Counts): string {
  const parts = [
    [counts.create, "to create"],
    [counts.update, "to change"],
    [counts.replace, "to replace"],
    [counts.delete, "to destroy"],
    [counts.forget, "to forget"],
    [counts.move, "moved"],
    [counts.import, "to import"],
    [counts.read, "to read"],
    [counts.drift, "drifted"],
  ] as const;
  const shown = parts.filter(([n]) => n > 0).map(([n, words]) => `${n} ${words}`);
  return shown.length === 0 ? "nothing to do" : shown.join(", ");
}

export function renderCard(card: PlanCard): string {
  const isPlan = card.source !== "static diff";
  const title = isPlan ? "Plan" : "Static diff (not a plan)";
  const sections = [
    `## ${title}: ${card.verdict}, ${countsText(card.counts)}`,
    placeText(card.place, card.source),
    ...card.notes.map((note) => `*${inline(note)}*`),
    ...concernSections(card.concerns),
    ...changeSections(card.changes),
    outputsSection(card),
    ...(card.unchanged > 0 ? [`${count(card.unchanged, "resource")} unchanged.`] : []),
  ];
  return bounded(sections.filter((section) => section !== "").join("\n\n"));
}

function bounded(text: string): string {
  if (text.length <= MAX_CARD_LENGTH) return text;
  const cut = text.lastIndexOf("\n", MAX_CARD_LENGTH);
  return `${text.slice(0, cut)}\n\n[The card is cut here; ${count(text.length - cut, "character")} more.]`;
}

function placeText(place: PlanPlace, source: PlanCard["source"]): string {
  const parts = [
    place.tool ?? source,
    place.directory === undefined ? undefined : `directory ${code(place.directory)}`,
    place.workspace === undefined ? undefined : `workspace ${code(place.workspace)}`,
    place.backend === undefined ? undefined : `backend ${code(place.backend)}`,
    place.stack === undefined ? undefined : `stack ${code(place.stack)}`,
    listed("namespace", place.namespaces ?? []),
    listed("account", place.accounts),
    listed("region", place.regions),
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}

function listed(noun: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  return `${noun}${names.length === 1 ? "" : "s"} ${names.map(code).join(", ")}`;
}

/** Heaviest first; of one kind and weight together. */
function concernSections(concerns: readonly Concern[]): string[] {
  return VERDICTS.toReversed().flatMap((level) =>
    CONCERN_KINDS.flatMap((kind) => {
      const own = concerns.filter((each) => each.level === level && each.kind === kind);
      if (own.length === 0) return [];
      const rows = own.map(({ address, text }) =>
        address === undefined ? `- ${inline(text)}` : `- ${code(address)} ${inline(text)}`,
      );
      return [
        `### ${level}: ${CONCERN_TITLES[kind]} (${own.length})\n${cutRows(rows, MAX_CONCERNS)}`,
      ];
    }),
  );
}

function cutRows(rows: readonly string[], most: number): string {
  const shown = rows.slice(0, most);
  if (rows.length > most) shown.push(`- … and ${rows.length - most} more`);
  return shown.join("\n");
}

/** What only says again what a concern said already stands in the concern alone. */
function changeSections(changes: readonly PlannedChange[]): string[] {
  const byAction = Map.groupBy(changes, ({ action }) => action);
  const section = (action: ChangeAction, render: (own: readonly PlannedChange[]) => string) => {
    const own = byAction.get(action) ?? [];
    return own.length === 0 ? [] : [`### ${TITLES[action]} (${own.length})\n${render(own)}`];
  };
  const each = (row: (change: PlannedChange) => string) => (own: readonly PlannedChange[]) =>
    own.length > MAX_ROWS ? grouped(own) : cutRows(own.map(row), MAX_ROWS);
  return [
    ...section("replace", each(replaceRow)),
    ...section(
      "delete",
      each((change) => `- ${code(change.address)}${inline(whyText(change))}`),
    ),
    ...section("forget", each(plainRow)),
    ...section("move", each(plainRow)),
    ...section("import", each(plainRow)),
    ...section("update", each(updateRow)),
    ...section("create", grouped),
    ...section("read", grouped),
  ];
}

const extras = ({ action, movedFrom, isImported }: PlannedChange): string =>
  (movedFrom === undefined ? "" : `, moved from ${code(movedFrom)}`) +
  (isImported === true && action !== "import" ? ", imported" : "");

function plainRow(change: PlannedChange): string {
  const { movedFrom, action } = change;
  return action === "move" && movedFrom !== undefined
    ? `- ${code(movedFrom)} → ${code(change.address)}`
    : `- ${code(change.address)}${extras(change)}`;
}

function replaceRow(change: PlannedChange): string {
  const order =
    change.order === "create_first"
      ? "created first, then the old one destroyed"
      : "destroyed first, then created";
  return `- ${code(change.address)}: ${order}${inline(whyText(change))}${extras(change)}`;
}

function updateRow(change: PlannedChange): string {
  return `- ${code(change.address)}: ${attributesText(change.changed)}${extras(change)}`;
}

function attributesText(names: readonly string[]): string {
  if (names.length === 0) return "details not told";
  const more = names.length > MAX_ATTRIBUTES ? ` and ${names.length - MAX_ATTRIBUTES} more` : "";
  return names.slice(0, MAX_ATTRIBUTES).map(code).join(", ") + more;
}

/** One line a type, the largest first. */
function grouped(changes: readonly PlannedChange[]): string {
  const types = [...Map.groupBy(changes, ({ type }) => type)].toSorted(
    ([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1),
  );
  const rows = types.map(([type, own]) => {
    const named = own.slice(0, MAX_NAMED).map((change) => code(change.address) + extras(change));
    const more = own.length > MAX_NAMED ? `, … ${own.length - MAX_NAMED} more` : "";
    return `- ${own.length} × ${code(type)}: ${named.join(", ")}${more}`;
  });
  return cutRows(rows, MAX_TYPES);
}

function outputsSection({ outputs }: PlanCard): string {
  if (outputs.length === 0) return "";
  const rows = outputs.map(
    ({ name, action, isSensitive }) =>
      `- ${code(name)}: ${action}${isSensitive ? " (sensitive)" : ""}`,
  );
  return `### Outputs (${outputs.length})\n${cutRows(rows, MAX_ROWS)}`;
}

/** Names come from the code that is planned: they cannot leave their backticks, nor hide characters. */
function code(name: string): string {
  const visible = escapeInvisible(name, "").replaceAll("`", "'");
  return `\`${visible.length > MAX_NAME_LENGTH ? `${visible.slice(0, MAX_NAME_LENGTH)}…` : visible}\``;
}

/** A sentence on one line. */
function inline(text: string): string {
  const line = escapeInvisible(text.replaceAll(/\s*\n\s*/g, " "), "");
  return line.length > MAX_TEXT_LENGTH ? `${line.slice(0, MAX_TEXT_LENGTH)}…` : line;
}
