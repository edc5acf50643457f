// Every CLI table of the room. A new one is a file beside this one and a line here.

import { ansible, ansibleTools, deployers, pulumi } from "./iac-tools.ts";
import { checkers, kustomize, secretsTools, trivy } from "./checkers.ts";
import { aliyun, aws, az, gcloud } from "./clouds.ts";
import { docker } from "./containers.ts";
import { copiers, dd, makers, modes, rm, shred, tar, unzip } from "./files.ts";
import { fd, find } from "./find.ts";
import { forges } from "./forges.ts";
import { git } from "./git.ts";
import { helm, helmfile } from "./helm.ts";
import { interpreters } from "./interpreters.ts";
import { kubectl } from "./kubectl.ts";
import { copiersOverNetwork, curl, ssh, wget } from "./network.ts";
import { goAndCargo, nodePackages, pythonPackages, systemPackages } from "./packages.ts";
import { awk, queries, sed } from "./programs-with-scripts.ts";
import { just, make, task } from "./recipe-runners.ts";
import { lookups, sockets } from "./routes.ts";
import { machine, processes, services } from "./system.ts";
import type { CliTable } from "./table.ts";
import { terraform } from "./terraform.ts";
import { terragrunt } from "./terragrunt.ts";
import {
  cutters,
  environment,
  fastSearchers,
  headsAndTails,
  otherSearchers,
  printers,
  readers,
  searchers,
  sorters,
  uniq,
} from "./text-tools.ts";

export const ALL_TABLES: readonly CliTable[] = [
  aliyun,
  ansible,
  ansibleTools,
  awk,
  aws,
  az,
  checkers,
  copiers,
  copiersOverNetwork,
  curl,
  dd,
  deployers,
  docker,
  environment,
  fd,
  find,
  forges,
  gcloud,
  git,
  goAndCargo,
  helm,
  helmfile,
  interpreters,
  just,
  kubectl,
  kustomize,
  lookups,
  machine,
  make,
  makers,
  modes,
  nodePackages,
  printers,
  processes,
  pulumi,
  pythonPackages,
  queries,
  readers,
  rm,
  searchers,
  fastSearchers,
  cutters,
  headsAndTails,
  otherSearchers,
  uniq,
  secretsTools,
  sed,
  services,
  shred,
  sockets,
  sorters,
  ssh,
  systemPackages,
  tar,
  task,
  terraform,
  terragrunt,
  trivy,
  unzip,
  wget,
];
