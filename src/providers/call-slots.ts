// Puts tool calls together from deltas whose index, id, name and arguments may each be missing, late, wrong or
// repeated. Pure. The rules are those of the contract: a new id is a new call, no id is the call now open.

import { isRecord, parseJson } from "../lib/json.ts";

type Slot = {
  /** As the endpoint sent it; absent when it sent none. */
  wireId: string | undefined;
  index: number | undefined;
  name: string;
  args: string;
  providerData: unknown;
  isAnnounced: boolean;
};

type Delta = {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** An object has already become text. */
  readonly args: string;
  readonly providerData: unknown;
};

export type SlotCall = {
  readonly wireId: string | undefined;
  readonly name: string;
  readonly arguments: string;
  readonly providerData?: unknown;
};

export type CallSlots = {
  /** One entry of `tool_calls`; returns the position and name of a call whose name became known by it. */
  readonly add: (entry: unknown) => { readonly index: number; readonly name: string } | undefined;
  readonly calls: () => readonly SlotCall[];
};

/** A call that never got a name is kept under this one, so that the model is told instead of the call being lost. */
const NAMELESS = "unnamed_tool";

export function createCallSlots(toolNames: readonly string[] = []): CallSlots {
  const slots: Slot[] = [];

  function open(delta: Delta): Slot {
    const slot: Slot = {
      wireId: undefined,
      index: delta.index,
      name: "",
      args: "",
      providerData: undefined,
      isAnnounced: false,
    };
    slots.push(slot);
    return slot;
  }

  function slotFor(delta: Delta): Slot | undefined {
    if (delta.id !== undefined) return slotById(delta, delta.id);
    if (delta.name !== undefined) return slotByName(delta);
    return slotByPlace(delta);
  }

  function slotById(delta: Delta, id: string): Slot {
    const known = slots.findLast(({ wireId }) => wireId === id);
    if (known !== undefined) return isNewCall(known, delta, toolNames) ? open(delta) : known;
    const here = delta.index === undefined ? slots.at(-1) : lastAt(delta.index);
    if (here === undefined) return open(delta);
    // The id comes late: after the name, or after the arguments.
    const isLate = here.wireId === undefined && !isNewCall(here, delta, toolNames);
    // A server that invents an id per delta: same place, no name, arguments still open.
    const isSamePlace =
      delta.index !== undefined && delta.name === undefined && !isComplete(here.args);
    return isLate || isSamePlace ? here : open(delta);
  }

  function slotByName(delta: Delta): Slot {
    const here = delta.index === undefined ? slots.at(-1) : lastAt(delta.index);
    return here === undefined || isNewCall(here, delta, toolNames) ? open(delta) : here;
  }

  function slotByPlace(delta: Delta): Slot | undefined {
    if (delta.args === "") return undefined;
    const here = delta.index === undefined ? undefined : lastAt(delta.index);
    if (here !== undefined) return here;
    const last = slots.at(-1);
    // Arguments before their name, or a wrong index: the call now open takes them unless it is complete.
    if (last === undefined) return open(delta);
    return delta.index !== undefined && isComplete(last.args) ? open(delta) : last;
  }

  const lastAt = (index: number) => slots.findLast((slot) => slot.index === index);

  return {
    add(entry) {
      const delta = toDelta(entry);
      const slot = delta && slotFor(delta);
      if (delta === undefined || slot === undefined) return undefined;
      slot.wireId ??= delta.id;
      slot.index ??= delta.index;
      slot.name = delta.name === undefined ? slot.name : nameOf(slot, delta.name, toolNames);
      slot.args = joinedArguments(slot.args, delta.args);
      slot.providerData ??= delta.providerData;
      if (slot.name === "" || slot.isAnnounced) return undefined;
      slot.isAnnounced = true;
      return { index: slots.indexOf(slot), name: slot.name };
    },
    calls: () =>
      slots
        .filter(({ name, args }) => name !== "" || args !== "")
        .map(({ wireId, name, args, providerData }) => ({
          wireId,
          name: name === "" ? NAMELESS : name,
          arguments: finalArguments(args),
          ...(providerData !== undefined && { providerData }),
        })),
  };
}

function toDelta(entry: unknown): Delta | undefined {
  if (!isRecord(entry)) return undefined;
  const spec = isRecord(entry["function"]) ? entry["function"] : entry;
  const index = entry["index"];
  return {
    index: typeof index === "number" && Number.isInteger(index) ? index : undefined,
    id: textOr(entry["id"]),
    name: textOr(spec["name"]),
    args: argumentsOf(spec["arguments"]),
    providerData: entry["extra_content"] ?? undefined,
  };
}

const textOr = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

function argumentsOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** True when a delta that names a known call is not more of it but another one. */
function isNewCall(slot: Slot, delta: Delta, toolNames: readonly string[]): boolean {
  if (delta.name === undefined || slot.name === "") return false;
  const isSameName = delta.name === slot.name;
  if (!isSameName && joinedName(slot, delta.name, toolNames) === undefined) return true;
  const isRepeat = delta.args === "" || delta.args === slot.args;
  const isElsewhere =
    delta.index !== undefined && slot.index !== undefined && delta.index !== slot.index;
  return isRepeat ? delta.args === "" && isElsewhere : isComplete(slot.args);
}

/** The whole name when `slot` and `part` are two halves of a known tool's name, or the second holds the first. */
function joinedName(slot: Slot, part: string, toolNames: readonly string[]): string | undefined {
  if (slot.args !== "" || toolNames.includes(slot.name)) return undefined;
  return [slot.name + part, part].find(
    (name) => name.startsWith(slot.name) && toolNames.includes(name),
  );
}

function nameOf(slot: Slot, name: string, toolNames: readonly string[]): string {
  if (slot.name === "" || slot.name === name) return name;
  return joinedName(slot, name, toolNames) ?? slot.name;
}

function joinedArguments(before: string, more: string): string {
  if (more === "") return before;
  if (more === before && isComplete(before)) return before;
  // Gateways to Anthropic open a call with `{}` and then stream the real arguments.
  if (before.trim() === "{}" && more.trimStart().startsWith("{")) return more;
  return before + more;
}

function isComplete(args: string): boolean {
  return args.trimEnd().endsWith("}") && isRecord(parseJson(args));
}

/** Absent arguments are none; a string that is itself JSON of an object is decoded once; all else stays as written. */
function finalArguments(args: string): string {
  if (args === "") return "{}";
  const value = parseJson(args);
  return typeof value === "string" && isRecord(parseJson(value)) ? value : args;
}
