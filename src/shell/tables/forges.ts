// gh and glab: the forges' own CLIs.

import { hasOption, valuesOf } from "../invocation.ts";
import type { CliTable } from "./table.ts";
import { list, verbs } from "./verbs.ts";

export const forges: CliTable = {
  name: "forges",
  programs: ["gh", "glab"],
  options: {
    clusters: true,
    withValue: list(
      "-R --repo -X --method -f -F --field --raw-field -H --header -q --jq -t --template --json -L --limit -s --state -B --base -b --body --title",
    ),
    flags: list("--help --version"),
  },
  verbs: verbs({
    read: "version,help,completion,",
    plan: "pr list,pr view,pr diff,pr checks,pr status,issue list,issue view,issue status,run list,run view,run watch,repo view,repo list,release list,release view,workflow list,workflow view,auth status,search,status,mr list,mr view,ci list,ci view,label list",
    mutate:
      "pr create,pr merge,pr comment,pr edit,pr review,pr close,pr ready,pr checkout,issue create,issue comment,issue edit,issue close,run rerun,run cancel,workflow run,release create,release upload,repo create,repo clone,repo fork,repo edit,auth login,auth logout,auth token,secret set,variable set,mr create,mr merge,label create,gist create",
    destroy:
      "repo delete,release delete,run delete,issue delete,secret delete,variable delete,gist delete,label delete,repo archive",
  }),
  inspect: (call, verdict) => {
    if (call.operands[0]?.word.text !== "api") return verdict;
    const methods = valuesOf(call, "-X", "--method").map(({ text }) => text?.toUpperCase());
    const sends = hasOption(call, "-f", "-F", "--field", "--raw-field", "--input");
    if (methods.includes("DELETE"))
      return { ...verdict, class: "destroy", reason: "deletes over the API" };
    const reads = methods.length === 0 ? !sends : methods.every((method) => method === "GET");
    return {
      ...verdict,
      class: methods.includes(undefined) || call.dynamic ? "unknown" : reads ? "plan" : "mutate",
    };
  },
};
