// Kubernetes manifests: shape, API versions, names that must agree; and which files are none of ours.

import { expect, test } from "bun:test";
import { validateDocuments } from "../../src/iac/documents.ts";

function check(text: string): string[] {
  const { findings } = validateDocuments([{ path: "app.yaml", text }]);
  return findings
    .filter(({ code }) => code.startsWith("K8S-"))
    .map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);
}

const GOOD = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web, tier: front}}
    spec:
      volumes: [{name: cache, emptyDir: {}}]
      containers:
        - name: web
          image: web:1.0
          ports: [{name: http, containerPort: 80}]
          volumeMounts: [{name: cache, mountPath: /cache}]
`;

test("sound manifests raise nothing, several documents and custom resources included", () => {
  const rest = `---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {ports: [{name: http, port: 80}, {name: https, port: 443}]}
---
---
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: Fancy_Name}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "system:reader"}
---
apiVersion: batch/v1
kind: Job
metadata: {generateName: job-}
spec: {template: {spec: {containers: [{name: a, image: b:1}]}}}
`;
  expect(check(GOOD + rest)).toEqual([]);
});

test("a missing kind, apiVersion or name is an error that says where the kind lives", () => {
  expect(
    check("kind: Deployment\nmetadata: {name: a}\nspec: {selector: {}, template: {}}\n"),
  ).toEqual(["1:1 K8S-API The manifest has no apiVersion. Deployment lives in apps/v1."]);
  expect(check("apiVersion: v1\nmetadata: {name: a}\n")).toEqual([
    "1:1 K8S-API The manifest has no kind, such as kind: Deployment.",
  ]);
  expect(check("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels: {a: b}\n")).toEqual([
    "3:1 K8S-NAME The manifest has no metadata.name.",
  ]);
  expect(check("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: My_Map\n")[0]).toStartWith(
    "4:3 K8S-NAME",
  );
});

test("removed API versions name their successor", () => {
  expect(check("apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: a}\n")).toEqual([
    "1:1 K8S-REMOVED extensions/v1beta1 Ingress is not served since Kubernetes 1.22. Use networking.k8s.io/v1.",
  ]);
  expect(
    check("apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {name: a}\n"),
  ).toEqual([
    "1:1 K8S-REMOVED policy/v1beta1 PodSecurityPolicy is not served since Kubernetes 1.25. PodSecurityPolicy has no successor; delete it.",
  ]);
  expect(
    check("apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\n"),
  ).toEqual([]);
});

test("a kind in the wrong API group is an error", () => {
  expect(
    check("apiVersion: v1\nkind: Deployment\nmetadata: {name: a}\nspec: {selector: {}}\n"),
  ).toEqual(["1:1 K8S-KIND v1 has no kind Deployment. Use apps/v1."]);
});

test("a selector that the pod template does not match is an error", () => {
  expect(
    check(
      GOOD.replace(
        "selector: {matchLabels: {app: web}}",
        "selector: {matchLabels: {app: api, env: prod}}",
      ),
    ),
  ).toEqual([
    '5:28 K8S-SELECTOR The selector wants the label app: api, but the pod template has "web".',
    "5:38 K8S-SELECTOR The selector wants the label env: prod, but the pod template does not have it.",
  ]);
  expect(check(GOOD.replace("  selector: {matchLabels: {app: web}}\n", ""))[0]).toStartWith(
    "4:1 K8S-SELECTOR",
  );
});

test("duplicate container names, unknown volumes and bad port names are errors", () => {
  const more = `        - name: web
          image: side:1.0
          ports: [{name: a-name-that-is-too-long, containerPort: 1}]
          volumeMounts: [{name: data, mountPath: /data}]
`;
  expect(check(GOOD + more).map((each) => each.split(" ").slice(0, 2).join(" "))).toEqual([
    "15:11 K8S-CONTAINER",
    "17:20 K8S-PORT",
    "18:27 K8S-VOLUME",
  ]);
});

test("ports of a service with several need names, each its own", () => {
  expect(
    check(
      "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports:\n    - port: 80\n    - {name: x, port: 1}\n    - {name: x, port: 2}\n",
    ),
  ).toEqual([
    "6:7 K8S-PORT A service with several ports needs a name for each of them.",
    '8:8 K8S-PORT Two ports of this service are named "x".',
  ]);
});

test("a patch of Kustomize is not blamed for what it leaves out, only for what it says", () => {
  const patch = (container: string) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 5
  template:
    spec:
      nodeSelector: {disk: ssd}
${container}`;
  const codesOf = (text: string) =>
    validateDocuments([{ path: "patch.yaml", text }]).findings.map(({ code }) => code);
  expect(codesOf(patch(""))).toEqual([]);
  expect(
    codesOf(patch("      containers: [{name: web, volumeMounts: [{name: x, mountPath: /x}]}]\n")),
  ).toEqual([]);
  expect(
    codesOf(patch("      containers: [{name: web, securityContext: {privileged: true}}]\n")),
  ).toEqual(["IAC-K8S-001"]);
});

test("a named targetPort must be a port of the pods that the service selects", () => {
  const service = (target: string, app = "web") => `---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: ${app}}
  ports: [{port: 80, targetPort: ${target}}]
`;
  expect(check(GOOD + service("http"))).toEqual([]);
  expect(check(GOOD + service("8080"))).toEqual([]);
  expect(check(GOOD + service("htpp", "elsewhere"))).toEqual([]);
  expect(check(GOOD + service("htpp"))).toEqual([
    '21:22 K8S-PORT targetPort "htpp" is no port of the pods that this service selects.',
  ]);
});

test("services find their pods in other files of the directory, not in other directories", () => {
  const service =
    "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  selector: {app: web}\n  ports: [{port: 80, targetPort: nope}]\n";
  const codes = (path: string) =>
    validateDocuments([
      { path: "a/web.yaml", text: GOOD },
      { path, text: service },
    ])
      .findings.filter(({ code }) => code.startsWith("K8S-"))
      .map(({ file, code }) => `${file} ${code}`);
  expect(codes("a/service.yaml")).toEqual(["a/service.yaml K8S-PORT"]);
  expect(codes("b/service.yaml")).toEqual([]);
});

test("one name given twice in a file is an error at the second", () => {
  const map = (namespace: string) =>
    `---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  namespace: ${namespace}\n  name: a\n`;
  expect(check(map("x") + map("y"))).toEqual([]);
  expect(check(map("x") + map("x"))).toEqual([
    '12:3 K8S-TWICE ConfigMap "a" stands twice in this file; the later one replaces the other. Rename or remove one.',
  ]);
});

test("the items of a List are checked like documents", () => {
  expect(
    check(
      "apiVersion: v1\nkind: List\nitems:\n  - apiVersion: v1\n    kind: ConfigMap\n    metadata: {}\n",
    ),
  ).toEqual(["6:5 K8S-NAME The manifest has no metadata.name."]);
});

test("one broken document does not hide the others", () => {
  expect(
    check(
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: [}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {}\n",
    ).map((each) => each.split(" ").slice(0, 2).join(" ")),
  ).toEqual(["3:19 K8S-SYNTAX", "3:20 K8S-SYNTAX", "7:1 K8S-NAME"]);
});

test("Helm and other templates are skipped with the reason, other YAML is passed over", () => {
  const report = validateDocuments([
    {
      path: "chart/templates/web.yaml",
      text: "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}\n",
    },
    {
      path: "play/web.yaml",
      text: "{% if x %}\napiVersion: v1\nkind: Service\n{% endif %}\nmetadata: {name: [}\n",
    },
    { path: "compose.yaml", text: "services:\n  web:\n    image: nginx\n" },
    {
      path: "kustomization.yaml",
      text: "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n",
    },
    { path: "kubeconfig", text: "apiVersion: v1\nkind: Config\nclusters: []\n" },
    {
      path: "rules.yaml",
      text: "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: a}\nspec: {summary: 'on {{ $labels.instance }}'}\n",
    },
  ]);
  expect(report).toEqual({
    findings: [],
    ignored: 0,
    checked: ["rules.yaml"],
    skipped: [
      {
        file: "chart/templates/web.yaml",
        reason: "it is a Helm template; check the output of `helm template`",
      },
      {
        file: "play/web.yaml",
        reason: "it holds template actions ({{ }} or {% %}); check the rendered file",
      },
    ],
  });
});
