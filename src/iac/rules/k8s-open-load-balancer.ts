// IAC-K8S-015: load balancer takes traffic from everywhere.

import { find, findWhole, textOf, entriesOf } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const k8sOpenLoadBalancer: Rule = {
  id: "IAC-K8S-015",
  title: "Load balancer takes traffic from everywhere",
  why: "The service gets a public address that everyone can reach.",
  fix: "Set loadBalancerSourceRanges, or make the load balancer internal, unless it is meant for everyone.",
  severity: "info",
  check: onTypes(["Service"], ({ body }) => {
    const annotations = findWhole(body, "metadata.annotations").flatMap(({ value }) =>
      entriesOf(value),
    );
    const isNarrowed =
      find(body, "spec.loadBalancerSourceRanges").length > 0 ||
      annotations.some(({ key }) =>
        /internal|intranet|source-ranges|address-type|scheme/i.test(key),
      );
    return find(body, "spec.type")
      .filter(({ value }) => textOf(value) === "LoadBalancer" && !isNarrowed)
      .map(({ at }) => ({ at }));
  }),
  examples: [
    {
      dialect: "kubernetes",
      failing: `apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  type: LoadBalancer # BAD`,
      passing: `apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  type: LoadBalancer
  loadBalancerSourceRanges: [203.0.113.0/24]`,
    },
  ],
};
