// Kubernetes Secret manifests and kubeconfig in YAML, line by line: everything below `data` and `stringData` of a document
// that is a Secret. JSON ones are found by structure.ts.

import { labelOf } from "./key-names.ts";
import type { Span } from "./spans.ts";
import { isReference } from "./values.ts";

const IS_SECRET = /^[+\-\s]*(?:- )?kind:\s*["']?(?:Secret|SecretList)["']?\s*$/m;
const HOLDER = /^([+\-~]?\s*)(?:- )?(?:data|stringData):\s*$/;
const ENTRY = /^[+\-~]?\s*["']?([\w.-]+)["']?:\s*(.*?)\s*$/;

/** Spans of the values of every Secret in `text`; documents are separated by `---`. */
export function manifestSpans(text: string): Span[] {
  if (!IS_SECRET.test(text)) return [];
  const spans: Span[] = [];
  let offset = 0;
  for (const document of text.split(/(?<=^---.*\n)/m)) {
    if (IS_SECRET.test(document)) spans.push(...documentSpans(document, offset));
    offset += document.length;
  }
  return spans;
}

function documentSpans(document: string, offset: number): Span[] {
  const spans: Span[] = [];
  let holder: number | undefined;
  let label = "data";
  let at = offset;
  for (const line of document.split("\n")) {
    const indent = /^[+\-~]?\s*/.exec(line)?.[0].length ?? 0;
    const opened = HOLDER.exec(line);
    if (opened !== null) holder = opened[1]?.length ?? 0;
    else if (holder !== undefined && line.trim() !== "") {
      if (indent <= holder) holder = undefined;
      else {
        const entry = ENTRY.exec(line);
        const value = entry === null ? line.trim() : (entry[2] ?? "");
        if (entry?.[1] !== undefined) label = entry[1];
        const inner = value.replace(/^(["'])(.*)\1$/, "$2");
        const start = at + line.lastIndexOf(inner);
        if (inner !== "" && !/^[|>][+-]?\d*$/.test(inner) && !isReference(inner, false))
          spans.push({ start, end: start + inner.length, label: `secret.${labelOf(label)}` });
      }
    }
    at += line.length + 1;
  }
  return spans;
}
