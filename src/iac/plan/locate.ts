// Addresses of a plan → where the code declares them, through the module calls on the way.

import { moduleAt, type ProjectIndex } from "../map/project-index.ts";
import type { FindingPlaces } from "./card-findings.ts";

/** `directory` is the root module that was planned, relative to the project's root. */
export function locatorOf(
  index: ProjectIndex,
  directory: string,
): NonNullable<FindingPlaces["locate"]> {
  return (address) => {
    const steps = withoutKeys(address).split(".");
    let module = moduleAt(index, directory);
    while (module !== undefined && steps[0] === "module" && steps.length > 2) {
      const call = module.calls.find(({ name }) => name === steps[1]);
      steps.splice(0, 2);
      // A module from elsewhere: the call is the nearest place that is the project's own.
      if (call?.directory === undefined) return call && placeOf(call.declaration);
      module = moduleAt(index, call.directory);
    }
    const declaration = module?.byAddress.get(steps.join("."));
    return declaration && placeOf(declaration);
  };
}

function placeOf({
  file,
  span,
}: {
  readonly file: string;
  readonly span: { readonly line: number; readonly column: number };
}) {
  return { file, line: span.line, column: span.column };
}

/** `module.a["x.y"].aws_vpc.b[0] (deposed 1)` → `module.a.aws_vpc.b`. */
function withoutKeys(address: string): string {
  return address.replaceAll(/\["(?:[^"\\]|\\.)*"\]|\[\d+\]|\s\(deposed .*$/g, "");
}
