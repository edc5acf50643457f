// Numbers as Prometheus text. https://prometheus.io/docs/instrumenting/exposition_formats/

const PREFIX = "iac_code";

/** One gauge a line, in alphabetical order; names are made safe, values that are no numbers are left out. */
export function toMetricsText(gauges: Readonly<Record<string, number>>): string {
  const lines: string[] = [];
  for (const name of Object.keys(gauges).toSorted()) {
    const value = gauges[name];
    if (value === undefined || !Number.isFinite(value)) continue;
    const metric = `${PREFIX}_${name.replaceAll(/[^A-Za-z0-9_]+/g, "_")}`;
    lines.push(`# TYPE ${metric} gauge`, `${metric} ${value}`);
  }
  return `${lines.join("\n")}\n`;
}
