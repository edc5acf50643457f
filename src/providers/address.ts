// Where an endpoint is reached: its base URL as given, or with `/v1`, whichever answers. One per provider.

import { withVersion } from "./base-url.ts";
import type { Fault } from "./failures.ts";

export type Address = {
  readonly current: () => string;
  /** Switches to another form than `failed`, which answered 404; false when there is none left to try. */
  readonly tryOther: (failed: string) => boolean;
};

/** Remembers the form that did not answer 404. When neither does, it is back at the one the user wrote. */
export function createAddress(url: string): Address {
  const versioned = withVersion(url);
  let state: "given" | "versioned" | "neither" = "given";
  const current = () => (state === "versioned" ? (versioned ?? url) : url);
  return {
    current,
    tryOther(failed) {
      // A request beside this one has switched already.
      if (failed !== current()) return true;
      if (versioned === undefined || state === "neither") return false;
      if (state === "versioned") {
        state = "neither";
        return false;
      }
      state = "versioned";
      return true;
    },
  };
}

/** True for "no such path", false for "no such model". LM Studio says it with status 200. */
export function isPathMissing({ failure, words = "" }: Fault): boolean {
  if (/unexpected endpoint/i.test(words)) return true;
  return (failure.status === 404 || failure.status === 405) && !/model/i.test(words);
}
