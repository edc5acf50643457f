// Version constraints as Terraform writes them: `~> 5.0`, `>= 4.2, < 6.0`.
// https://developer.hashicorp.com/terraform/language/expressions/version-constraints

const VERSION = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
const TERM = /^(=|!=|>=|<=|~>|>|<)?\s*(\S+)$/;

type Version = { readonly parts: readonly number[]; readonly given: number; readonly pre: string };

function parseVersion(text: string): Version | undefined {
  const match = VERSION.exec(text.trim());
  if (match === null) return undefined;
  const given = match.slice(1, 4).filter((part) => part !== undefined);
  const parts = [1, 2, 3].map((index) => Number(match[index] ?? 0));
  return { parts, given: given.length, pre: match[4] ?? "" };
}

/** Pre-releases stand before their release; two of one release are ordered as text. */
function compare(a: Version, b: Version): number {
  for (const index of [0, 1, 2]) {
    const difference = (a.parts[index] ?? 0) - (b.parts[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.pre === b.pre) return 0;
  if (a.pre === "" || b.pre === "") return a.pre === "" ? 1 : -1;
  return a.pre < b.pre ? -1 : 1;
}

/** Whether `version` meets every term of `constraint`; `undefined` when either cannot be read. */
export function satisfies(version: string, constraint: string): boolean | undefined {
  const actual = parseVersion(version);
  if (actual === undefined) return undefined;
  let isMet = true;
  for (const term of constraint.split(",")) {
    const match = TERM.exec(term.trim());
    const wanted = match?.[2] === undefined ? undefined : parseVersion(match[2]);
    if (wanted === undefined) return undefined;
    isMet &&= meets(actual, match?.[1] ?? "=", wanted);
  }
  return isMet;
}

function meets(actual: Version, operator: string, wanted: Version): boolean {
  const order = compare(actual, wanted);
  switch (operator) {
    case "=":
      return order === 0;
    case "!=":
      return order !== 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    default: {
      // `~> 1.2` keeps the first part, `~> 1.2.3` the first two: only the last one given may grow.
      const kept = Math.max(1, wanted.given - 1);
      return order >= 0 && wanted.parts.slice(0, kept).every((part, i) => part === actual.parts[i]);
    }
  }
}
