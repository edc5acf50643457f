// kubectl and oc.

import { type Invocation, mayHaveOption, operandWords, valuesOf } from "../invocation.ts";
import { isRemote } from "./checkers.ts";
import type { CliTable, Verdict } from "./table.ts";
import { list, verbs } from "./verbs.ts";

const ZERO = /^0+$/;

/** `--replicas=0`, also where the value cannot be told. */
function scalesToZero(call: Invocation): boolean {
  return valuesOf(call, "--replicas").some(
    (value) => value.text === undefined || ZERO.test(value.text),
  );
}

function readsSecret(call: Invocation): boolean {
  return operandWords(call, 1).some(
    (word) => word.text === undefined || /(^|,|\/)(secrets?|all)(,|\/|\.|$)/i.test(word.text),
  );
}

function inspect(call: Invocation, verdict: Verdict): Verdict {
  const verb = call.operands[0]?.word.text ?? "";
  if (
    mayHaveOption(
      call,
      "--enable-exec",
      "--enable-alpha-plugins",
      "--enable-helm",
      "--helm-command",
    )
  )
    return { ...verdict, class: "unknown", reason: "an option lets kustomize run programs" };
  if (verb === "kustomize" && operandWords(call, 1).some(({ text }) => isRemote(text)))
    return { ...verdict, class: "plan", reason: "downloads what it builds" };
  if (verb === "config" && mayHaveOption(call, "--exec-command"))
    return { ...verdict, class: "unknown", reason: "later commands run that program" };
  const warn = (text: string): Verdict => ({
    ...verdict,
    warnings: [...(verdict.warnings ?? []), text],
  });
  if (verb === "scale" && scalesToZero(call))
    return { ...verdict, class: "destroy", reason: "stops every replica", always: false };
  if (verb === "get" || verb === "describe")
    return readsSecret(call)
      ? warn("prints secrets: Secret objects hold their values in base64")
      : verdict;
  if (verb === "config" && mayHaveOption(call, "--raw"))
    return { ...warn("prints the cluster's credentials"), class: "plan" };
  if (verb === "exec" || verb === "debug" || verb === "run") {
    const words =
      call.afterDashes === undefined ? operandWords(call, 2) : call.words.slice(call.afterDashes);
    return words.length === 0
      ? verdict
      : { ...verdict, runs: [{ type: "words", words, elsewhere: true }] };
  }
  return verdict;
}

export const kubectl: CliTable = {
  name: "kubectl",
  programs: ["kubectl", "oc", "kubecolor", "k3s-kubectl"],
  options: {
    clusters: true,
    withValue:
      list(`-f --filename -n --namespace -o --output -l --selector -c --container -k --kustomize -p --patch --patch-file
      --context --cluster --user --kubeconfig -s --server --token --as --as-group --as-uid --certificate-authority --client-certificate --client-key
      --request-timeout --cache-dir --tls-server-name --field-selector --field-manager --grace-period --timeout --type --replicas --image --from --for
      --since --since-time --tail --sort-by --template --revision --to-revision --subresource -v --v --limits --requests --port --target-port
      --overrides --restart --env --labels --annotations --serviceaccount --duration --prune-allowlist --pod-running-timeout --address --username --password`),
    flags:
      list(`-A --all-namespaces -w --watch -i --stdin -t --tty -it -R --recursive --all --force --prune --show-labels --no-headers --raw --wait --now
      --ignore-not-found --server-side --overwrite --insecure-skip-tls-verify --previous --follow --client --help --minify --dry-run --rm`),
  },
  verbs: verbs(
    {
      read: "kustomize,config view,config current-context,config get-contexts,config get-clusters,config get-users,options,completion,help,plugin list,",
      write:
        "config use-context,config set-context,config set,config set-cluster,config set-credentials,config rename-context,config unset,config delete-context,config delete-cluster,config delete-user",
      plan: "explain,get,describe,logs,top,diff,auth can-i,auth whoami,api-resources,api-versions,cluster-info,events,wait,rollout status,rollout history,status,whoami,project",
      mutate:
        "apply,create,patch,edit,scale,exec,cp,rollout restart,rollout undo,rollout pause,rollout resume,label,annotate,cordon,uncordon,debug,port-forward,proxy,attach,run,expose,set,autoscale,taint,certificate approve,certificate deny,replace,auth reconcile,new-app,new-project,start-build,login,logout,rsh,rsync,adm,apply view-last-applied,apply set-last-applied",
    },
    {
      version: { class: "plan", options: { "--client": "read" } },
      "config use-context": { class: "write", choosesPlace: true },
      delete: { class: "destroy", reason: "deletes objects of the cluster" },
      drain: { class: "destroy", reason: "evicts every pod of a node" },
      replace: { class: "mutate", options: { "--force": "destroy" } },
      apply: {
        class: "mutate",
        reason: "changes objects of the cluster",
        options: { "--prune": "destroy", "--force": "destroy" },
      },
      exec: { class: "mutate", reason: "runs a command in a container" },
    },
  ),
  raises: {
    "--force": "skips safety checks",
    "--prune": "deletes what is no longer listed",
    "--grace-period=0": "kills without a grace period",
    "--now": "kills without a grace period",
  },
  lowers: { "--dry-run": "plan" },
  fileOptions: { "-f": "read", "--filename": "read", "--patch-file": "read" },
  production: { variables: ["KUBECONFIG", "KUBE_CONTEXT"] },
  inspect,
};
