// The Deployment around the examples of the rules about pods and containers.

export type ExampleParts = {
  /** Lines of the container, below its name. */
  readonly container?: string;
  /** Lines of the pod's spec, beside its containers. */
  readonly pod?: string;
  /** The line that is to be found, when it is none of the given ones. */
  readonly bad?: "kind" | "container";
};

/** A Deployment named web with one container, as YAML. */
export function deploymentWith({ container = "", pod = "", bad }: ExampleParts): string {
  const lines = [
    "apiVersion: apps/v1",
    `kind: Deployment${bad === "kind" ? " # BAD" : ""}`,
    "metadata:",
    "  name: web",
    "spec:",
    "  selector:",
    "    matchLabels:",
    "      app: web",
    "  template:",
    "    metadata:",
    "      labels:",
    "        app: web",
    "    spec:",
    ...indented(pod, 6),
    "      containers:",
    `        - name: web${bad === "container" ? " # BAD" : ""}`,
    ...indented(container, 10),
  ];
  return lines.join("\n");
}

function indented(text: string, columns: number): readonly string[] {
  return text === "" ? [] : text.split("\n").map((line) => " ".repeat(columns) + line);
}
