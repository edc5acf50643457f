// helm and helmfile.

import type { CliTable } from "./table.ts";
import { list, verbs } from "./verbs.ts";

export const helm: CliTable = {
  name: "helm",
  programs: ["helm"],
  options: {
    clusters: true,
    withValue:
      list(`-f --values -n --namespace --kube-context --kubeconfig --set --set-string --set-file --set-json --version --repo --timeout --username --password
      -o --output --kube-apiserver --kube-token --kube-as-user --kube-ca-file --post-renderer --post-renderer-args -d --destination --untardir --description --history-max --max
      --registry-config --repository-cache --repository-config -s --show-only --name-template -l --labels --selector --filter --revision`),
    flags: list(
      "--debug -i --install --atomic --wait --create-namespace --reuse-values --reset-values --dry-run --force -A --all-namespaces -a --all -q --short --devel --untar --no-hooks --help",
    ),
  },
  verbs: verbs(
    {
      read: "version,env,help,search,search repo,completion,repo list,plugin list,verify,dependency list,dep list,",
      write:
        "template,lint,package,dependency,dependency update,dependency build,dep,pull,fetch,repo,repo add,repo update,create",
      plan: "show,show values,show chart,show all,inspect,list,ls,status,get,get values,get manifest,get all,history,diff,search hub",
      mutate:
        "install,upgrade,rollback,test,push,registry login,registry logout,plugin,repo remove,plugin install",
    },
    {
      uninstall: { class: "destroy", reason: "removes a release and its objects" },
      delete: { class: "destroy", reason: "removes a release and its objects" },
      del: { class: "destroy", reason: "removes a release and its objects" },
      un: { class: "destroy", reason: "removes a release and its objects" },
      "get values": { class: "plan", warning: "may print secrets: values of a release" },
    },
  ),
  raises: { "--force": "replaces objects by deleting them" },
  lowers: { "--dry-run": "plan" },
  fileOptions: { "-f": "read", "--values": "read" },
  production: { variables: ["KUBECONFIG", "HELM_KUBECONTEXT"] },
  // A post-renderer is a program of the caller's choice.
  inspect: (call, verdict) =>
    call.options.some(({ name }) => name === "--post-renderer")
      ? { ...verdict, class: "unknown", reason: "runs a post-renderer" }
      : verdict,
};

export const helmfile: CliTable = {
  name: "helmfile",
  programs: ["helmfile"],
  options: {
    clusters: true,
    withValue: list(
      "-f --file -e --environment -l --selector -n --namespace --kube-context --state-values-set --state-values-file --set --values --args -b --helm-binary --log-level",
    ),
    flags: list(
      "-q --quiet --debug --no-color --interactive -i --skip-deps --allow-no-matching-release",
    ),
  },
  verbs: verbs({
    read: "list,version,build,show-dag,",
    write: "template,lint,deps,repos,fetch,write-values,cache",
    plan: "diff,status",
    mutate: "apply,sync,test",
    destroy: "destroy,delete",
  }),
  production: { variables: ["KUBECONFIG"] },
};
