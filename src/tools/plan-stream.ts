// The lines that `plan -json` and `apply -json` print, gathered as they come: diagnostics, what is running, what is done.
// Output of provisioners and values of outputs are left where they are. Pure but for what it has gathered.
// https://developer.hashicorp.com/terraform/internals/machine-readable-ui

import { z } from "zod";
import type { Finding } from "../iac/findings.ts";
import { parseJson } from "../lib/json.ts";
import { count } from "../lib/text.ts";

/** Lines kept of what is no JSON: a crash, a wrapper's own words. */
const MAX_OTHER_LINES = 40;
const MAX_OTHER_LENGTH = 500;
const MAX_LINE_LENGTH = 64 * 1024;
const MAX_DIAGNOSTICS = 200;
/** Resources named in a progress text. */
const MAX_RUNNING = 8;

const diagnostic = z.object({
  severity: z.string(),
  summary: z.string(),
  detail: z.string().nullish(),
  address: z.string().nullish(),
  range: z
    .object({
      filename: z.string(),
      start: z.object({ line: z.number(), column: z.number() }),
    })
    .nullish(),
});
export type Diagnostic = z.infer<typeof diagnostic>;

const line = z.object({
  type: z.string(),
  diagnostic: diagnostic.nullish(),
  hook: z
    .object({
      resource: z.object({ addr: z.string() }).nullish(),
      action: z.string().nullish(),
      elapsed_seconds: z.number().nullish(),
    })
    .nullish(),
});

export class PlanStream {
  readonly #decoder = new TextDecoder();
  readonly #running = new Map<string, { readonly action: string; seconds: number }>();
  readonly diagnostics: Diagnostic[] = [];
  readonly otherLines: string[] = [];
  #rest = "";
  #refreshed = 0;
  #planned = 0;
  #applied = 0;
  #failed = 0;

  push(bytes: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    // A line without an end is no line of this format; it must not grow for ever.
    this.#rest = (lines.pop() ?? "").slice(0, MAX_LINE_LENGTH);
    for (const each of lines) this.#take(each);
  }

  /** Takes what came last without a line end. */
  end(): void {
    this.#take(this.#rest);
    this.#rest = "";
  }

  get applied(): number {
    return this.#applied;
  }

  get failed(): number {
    return this.#failed;
  }

  /** Addresses whose change had begun and was not seen to end. */
  get unfinished(): readonly string[] {
    return [...this.#running.keys()];
  }

  /** `12 read, 3 changes planned`, or `2 of 5 done` with what runs; Markdown. */
  progressText(total?: number): string {
    if (total === undefined)
      return `${count(this.#refreshed, "resource")} read, ${count(this.#planned, "change")} planned`;
    const failed = this.#failed === 0 ? "" : `, ${this.#failed} failed`;
    const running = [...this.#running]
      .slice(0, MAX_RUNNING)
      .map(
        ([address, { action, seconds }]) =>
          `- \`${address.replaceAll("`", "'")}\`: ${action}${seconds > 0 ? ` (${seconds} s)` : ""}`,
      );
    const more = this.#running.size - running.length;
    return [
      `${this.#applied} of ${total} done${failed}`,
      ...running,
      ...(more > 0 ? [`- … and ${more} more`] : []),
    ].join("\n");
  }

  #take(text: string): void {
    if (text.trim() === "") return;
    const parsed = line.safeParse(parseJson(text));
    if (!parsed.success) {
      // A line of the format that is too long to be whole: it may hold the values of outputs.
      if (text.startsWith("{")) return;
      this.otherLines.push(text.slice(0, MAX_OTHER_LENGTH));
      if (this.otherLines.length > MAX_OTHER_LINES) this.otherLines.shift();
      return;
    }
    const { type, diagnostic: said, hook } = parsed.data;
    if (type === "diagnostic" && said) this.#keep(said);
    else if (type === "refresh_complete") this.#refreshed += 1;
    else if (type === "planned_change") this.#planned += 1;
    else if (type.startsWith("apply_")) this.#follow(type, hook);
  }

  #keep(said: Diagnostic): void {
    if (this.diagnostics.length < MAX_DIAGNOSTICS) this.diagnostics.push(said);
  }

  #follow(type: string, hook: z.infer<typeof line>["hook"]): void {
    const address = hook?.resource?.addr;
    if (address === undefined) return;
    switch (type) {
      case "apply_start":
        this.#running.set(address, { action: hook?.action ?? "apply", seconds: 0 });
        return;
      case "apply_progress": {
        const run = this.#running.get(address);
        if (run !== undefined) run.seconds = hook?.elapsed_seconds ?? run.seconds;
        return;
      }
      case "apply_complete":
        this.#applied += 1;
        this.#running.delete(address);
        return;
      case "apply_errored":
        this.#failed += 1;
        this.#running.delete(address);
    }
  }
}

/** `toFile` makes a path of the project out of one relative to where the program ran. */
export function toFindings(
  diagnostics: readonly Diagnostic[],
  code: string,
  toFile: (file: string) => string,
): Finding[] {
  return diagnostics.map(({ severity, summary, detail, address, range }) => ({
    file: toFile(range?.filename ?? "."),
    line: range?.start.line ?? 1,
    column: range?.start.column ?? 1,
    severity: severity === "error" ? "error" : "warning",
    code,
    message: [
      ...(address === null || address === undefined ? [] : [`${address}:`]),
      [summary, detail?.replaceAll(/\s*\n\s*/g, " ").trim()].filter(Boolean).join(": "),
    ].join(" "),
  }));
}
