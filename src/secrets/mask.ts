// The secret firewall of one session: secrets out, stable placeholders in, and back again for what is written or run.
// Pure but for what it remembers: known values, and which placeholder stands for what. Nothing of that is ever stored.

import { isRecord, type JsonValue } from "../lib/json.ts";
import { carrierSpans } from "./carriers.ts";
import { labelOf, strengthOfKey } from "./key-names.ts";
import { keyedSpans } from "./keyed.ts";
import { KnownValues, type KnownValue } from "./known.ts";
import { manifestSpans } from "./manifest.ts";
import { shapeSpans } from "./shapes.ts";
import { cutOut, type Hint, joinSpans, type Level, type Span } from "./spans.ts";
import { createStreamMasker, type StreamMasker } from "./stream.ts";
import { labelAt, sensitivePaths, structureSpans } from "./structure.ts";
import { isReference, isStandIn } from "./values.ts";

export type SecretMasker = {
  readonly level: Level;
  /** Values to hide wherever they appear from now on; short, common and public ones are not taken. */
  readonly addKnown: (values: readonly KnownValue[]) => void;
  /** Replaces every secret found by a placeholder, and remembers what it found. */
  readonly mask: (text: string, hint?: Hint) => string;
  /** Puts the real values back; a placeholder that this session did not give out stays as it is. */
  readonly unmask: (text: string) => string;
  /** Placeholders in `text` that stand for nothing here: writing them would put the placeholder into a file. */
  readonly unresolved: (text: string) => readonly string[];
  /** Masks the strings of a JSON value, also by its structure and its keys. Keys stay. */
  readonly maskJson: (value: JsonValue, hint?: Hint) => JsonValue;
  /** For text that arrives in chunks. */
  readonly stream: (hint?: Hint) => StreamMasker;
  /** Keeps numbers of placeholders in stored text from being given out again with another meaning. */
  readonly reserve: (text: string) => void;
};

/** Texts whose masked form is remembered, and how long each may be. */
const MAX_RECENT = 16;
const MAX_RECENT_LENGTH = 16 * 1024;

const PLACEHOLDER = /«secret:([\w.-]+)#(\d+)»/g;

/** `level` is the user's own setting: `balanced` shows stand-ins such as `changeme`, `off` masks nothing. */
export function createMasker(options: { readonly level: Level }): SecretMasker {
  const { level } = options;
  const known = new KnownValues();
  const vault = new Placeholders();

  const findSpans = (text: string, hint: Hint = {}): Span[] => {
    const found = [
      ...structureSpans(text),
      ...manifestSpans(text),
      ...keyedSpans(text, hint, level),
      ...carrierSpans(text, hint, level),
      ...shapeSpans(text, level),
    ];
    for (const { start, end, label } of found) learn(text.slice(start, end), label);
    return joinSpans([...found, ...known.find(text)]);
  };
  const learn = (raw: string, label: string): void => {
    known.add({ value: raw, label });
    const plain = unescaped(raw);
    if (plain !== raw) known.add({ value: plain, label });
    // A Secret's data: what it decodes to is as secret as the text.
    const decoded = label.startsWith("secret.") ? decodedBase64(raw) : undefined;
    if (decoded !== undefined) known.add({ value: decoded, label });
  };
  const render = (text: string, spans: readonly Span[]): string => {
    let masked = "";
    let from = 0;
    for (const { start, end, label } of cutOut(spans, placeholderSpans(text))) {
      masked += text.slice(from, start) + vault.placeholderFor(text.slice(start, end), label);
      from = end;
    }
    return masked + text.slice(from);
  };
  /** What a user or a model said is masked for the request, the store and the client: the last texts are remembered. */
  const recent = new Map<string, string>();
  let knownThen = 0;
  /** One more known value may stand in any of them. */
  const forgetWhenMoreIsKnown = (): void => {
    if (known.size === knownThen) return;
    recent.clear();
    knownThen = known.size;
  };
  const mask = (text: string, hint?: Hint): string => {
    if (level === "off" || text === "") return text;
    if (hint !== undefined || text.length > MAX_RECENT_LENGTH)
      return render(text, findSpans(text, hint));
    forgetWhenMoreIsKnown();
    const before = recent.get(text);
    if (before !== undefined) return before;
    const masked = render(text, findSpans(text));
    forgetWhenMoreIsKnown();
    if (recent.size >= MAX_RECENT) recent.clear();
    recent.set(text, masked);
    return masked;
  };

  return {
    level,
    addKnown: (values) => {
      for (const value of values) known.add(value);
    },
    mask,
    unmask: (text) => vault.restore(text),
    unresolved: (text) => vault.unresolved(text),
    maskJson: (value, hint) =>
      level === "off" ? value : maskJsonValue(value, { mask, learn, vault, level, hint }),
    stream: (hint) =>
      createStreamMasker(
        level === "off" ? undefined : { find: (text) => findSpans(text, hint), render },
      ),
    reserve: (text) => vault.reserve(text),
  };
}

const placeholderSpans = (text: string): Span[] =>
  [...text.matchAll(PLACEHOLDER)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    label: "",
  }));

function unescaped(raw: string): string {
  if (!raw.includes("\\")) return raw;
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    // No JSON string: the backslashes are its own.
    return raw;
  }
}

function decodedBase64(raw: string): string | undefined {
  if (!/^[A-Za-z0-9+/]{8,}={0,2}$/.test(raw)) return undefined;
  const text = Buffer.from(raw, "base64").toString("utf8");
  return text.includes("\uFFFD") ? undefined : text;
}

/** Which placeholder stands for which text; the same text has the same one for the whole session. */
class Placeholders {
  readonly #byText = new Map<string, string>();
  readonly #byPlaceholder = new Map<string, string>();
  readonly #lastNumber = new Map<string, number>();

  placeholderFor(text: string, label: string): string {
    const existing = this.#byText.get(text);
    if (existing !== undefined) return existing;
    const number = (this.#lastNumber.get(label) ?? 0) + 1;
    this.#lastNumber.set(label, number);
    const placeholder = `«secret:${label}#${number}»`;
    this.#byText.set(text, placeholder);
    this.#byPlaceholder.set(placeholder, text);
    return placeholder;
  }

  restore(text: string): string {
    return text.replaceAll(PLACEHOLDER, (one) => this.#byPlaceholder.get(one) ?? one);
  }

  unresolved(text: string): string[] {
    const all = [...text.matchAll(PLACEHOLDER)].map(([one]) => one);
    return [...new Set(all)].filter((one) => !this.#byPlaceholder.has(one));
  }

  reserve(text: string): void {
    for (const [one, label = "", number] of text.matchAll(PLACEHOLDER)) {
      if (this.#byPlaceholder.has(one)) continue;
      this.#lastNumber.set(label, Math.max(this.#lastNumber.get(label) ?? 0, Number(number)));
    }
  }
}

type JsonParts = {
  readonly mask: (text: string, hint?: Hint) => string;
  readonly learn: (raw: string, label: string) => void;
  readonly vault: Placeholders;
  readonly level: Level;
  readonly hint: Hint | undefined;
};

function maskJsonValue(root: JsonValue, { mask, learn, vault, level, hint }: JsonParts): JsonValue {
  const secret = sensitivePaths(root);
  const hide = (text: string, label: string): string => {
    learn(text, label);
    return vault.placeholderFor(text, label);
  };
  const leaf = (text: string, path: readonly string[], label: string | undefined): string => {
    const marked = secret.size === 0 ? label : (labelAt(secret, path) ?? label);
    if (text === "" || marked === undefined) return mask(text, hint);
    const isShown =
      label === marked && (isReference(text, true) || (level !== "strict" && isStandIn(text)));
    return isShown || text.includes("«secret:") ? mask(text, hint) : hide(text, marked);
  };
  const walk = (
    value: JsonValue,
    path: readonly string[],
    label: string | undefined,
  ): JsonValue => {
    if (typeof value === "string") return leaf(value, path, label);
    if (Array.isArray(value))
      return value.map((item, at) => walk(item, [...path, String(at)], label));
    if (!isRecord(value)) return value;
    const pairName = isPairOfSecret(value);
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const named = strengthOfKey(key) === "strong" ? labelOf(key) : undefined;
        const paired = /^(?:value|ParameterValue)$/i.test(key) ? pairName : undefined;
        return [key, walk(item, [...path, key], named ?? paired)];
      }),
    );
  };
  return walk(root, [], undefined);
}

/** The name in `{name: "DB_PASSWORD", value: …}`, where it names a secret. */
function isPairOfSecret(value: Readonly<Record<string, unknown>>): string | undefined {
  const name = value["name"] ?? value["key"] ?? value["ParameterKey"];
  return typeof name === "string" && strengthOfKey(name) !== "none" ? labelOf(name) : undefined;
}
