// IAC-K8S-017: ingress has no TLS.

import { find, findWhole, entriesOf } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const k8sIngressNoTls: Rule = {
  id: "IAC-K8S-017",
  title: "Ingress has no TLS",
  why: "Cookies, passwords and pages pass the network in clear.",
  fix: "Add spec.tls with a certificate.",
  severity: "warning",
  check: onTypes(["Ingress", "kubernetes_ingress_v1"], ({ body }) => {
    const annotations = findWhole(body, "metadata.annotations").flatMap(({ value }) =>
      entriesOf(value),
    );
    // Cloud load balancers take the certificate from an annotation.
    const isElsewhere = annotations.some(({ key }) => /cert|ssl|tls/i.test(key));
    return isElsewhere || find(body, "spec.tls").length > 0 ? [] : [{}];
  }),
  examples: [
    {
      dialect: "kubernetes",
      failing: `apiVersion: networking.k8s.io/v1
kind: Ingress # BAD
metadata:
  name: web
spec:
  rules: []`,
      passing: `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
spec:
  tls:
    - secretName: web-tls
  rules: []`,
    },
  ],
};
