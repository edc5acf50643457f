// The few shapes every tool's answer has.

import { fence } from "../lib/text.ts";
import type { ToolResult } from "./tool.ts";

export function failed(text: string): ToolResult {
  return { ok: false, text };
}

export function cancelled(): ToolResult {
  return failed("Cancelled.");
}

/** Shown as code, fenced; told to the model as it is. */
export function codeContent(text: string, language = ""): NonNullable<ToolResult["content"]> {
  return [{ type: "text", text: fence(text, language) }];
}

const LANGUAGES: Readonly<Record<string, string>> = {
  tf: "hcl",
  hcl: "hcl",
  tfvars: "hcl",
  yml: "yaml",
  yaml: "yaml",
  json: "json",
  ts: "ts",
  js: "js",
  py: "python",
  sh: "sh",
  go: "go",
  md: "markdown",
};

/** The name for a fence's info string, by file ending; empty when unknown. */
export function languageOf(path: string): string {
  return LANGUAGES[path.slice(path.lastIndexOf(".") + 1).toLowerCase()] ?? "";
}
