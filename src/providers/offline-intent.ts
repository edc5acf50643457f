// What a prompt asks of the offline reviewer, by its words, English and Portuguese. Coarse on purpose: it is no language model.

import { COMPACTION_PREFIX } from "../conversation/from-events.ts";

export type OfflineIntent = "fix" | "changes" | "plan" | "review" | "validate" | "explain" | "chat";

export type OfflineQuestion = {
  readonly intent: OfflineIntent;
  /** The user did not say that nothing may be changed. */
  readonly mayOffer: boolean;
  /** An address of the project's code that is asked about: `aws_vpc.main`, `var.region`. */
  readonly address?: string;
};

/** Whole words; letters with marks count as letters. */
const words = (list: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])(?:${list})(?![\\p{L}\\p{N}_])`, "iu");

/** The first that fits counts. */
const WORDS: readonly (readonly [OfflineIntent, RegExp])[] = [
  ["fix", words("fix\\w*|mend|repair|corrij\\p{L}*|corrig\\p{L}*|consert\\p{L}*|arrum\\p{L}*")],
  [
    "changes",
    words(
      "changed|changes|diff|modified|uncommitted|mudou|mudaram|mudanças?|alterou|alteraram|alterações|alteração|modificad\\p{L}*",
    ),
  ],
  ["plan", words("plan|plans|tfplan|change.?sets?|planos?")],
  [
    "review",
    words(
      "review\\w*|improve\\w*|harden\\w*|secure|security|audit\\w*|problems?|wrong|issues?|bugs?|vulnerab\\p{L}*|revis\\p{L}*|melhor\\p{L}*|seguranç\\p{L}*|segur[oa]s?|auditoria|problemas?|erros?|errad\\p{L}*|analis\\p{L}*|anális\\p{L}*",
    ),
  ],
  [
    "validate",
    words(
      "validat\\w*|checks?|lint|verify|valid[ae]\\p{L}*|verifi\\p{L}*|confer\\p{L}*|confir\\p{L}*|chec\\p{L}*",
    ),
  ],
  [
    "explain",
    words(
      "explain\\w*|describe\\w*|overview|summary|summar\\w*|what|where|which|who|show|list|map|expli\\p{L}*|descrev\\p{L}*|resum\\p{L}*|mostr\\p{L}*|list\\p{L}*|visão|onde|quais|qual|quem|que",
    ),
  ],
];

const NO_EDITS = words(
  "(?:do not|don'?t|without|no) (?:chang\\w*|edit\\w*|fix\\w*|touch\\w*|writ\\w*|modif\\w*)|read.?only|only (?:review|look|report)|(?:sem|não) (?:alter\\p{L}*|mud\\p{L}*|edit\\p{L}*|mex\\p{L}*|corrij\\p{L}*|corrig\\p{L}*|modific\\p{L}*)",
);
const ADDRESS = /(?<![\w./-])((?:data\.)?[a-z][a-z0-9_]*\.[a-zA-Z_][\w-]*)(?![\w/]|\.\w)/g;
const FILE_ENDS = /\.(?:tf|tofu|tfvars|json|ya?ml|md|hcl|txt|template|bicep|com|org|io|dev)$/i;

/** What the user wrote, without the summary of an earlier part that may stand before it. */
function ownWords(prompt: string): string {
  if (!prompt.startsWith(COMPACTION_PREFIX)) return prompt;
  return prompt.slice(prompt.lastIndexOf("\n\n") + 2);
}

function addressIn(text: string): string | undefined {
  return [...text.matchAll(ADDRESS)]
    .map(([, address]) => address ?? "")
    .find((one) => !FILE_ENDS.test(one));
}

/** `chat` when nothing fits. */
export function readQuestion(prompt: string): OfflineQuestion {
  const text = ownWords(prompt);
  const mayOffer = !NO_EDITS.test(text);
  // "Do not change anything" and "do not fix it" name what is not wanted.
  const wanted = mayOffer ? text : text.replace(NO_EDITS, " ");
  const address = addressIn(text);
  const named = WORDS.find(([, pattern]) => pattern.test(wanted))?.[0] ?? "chat";
  const isAboutAddress = address !== undefined && (named === "explain" || named === "chat");
  const intent = isAboutAddress ? "explain" : named;
  return { intent, mayOffer, ...(address === undefined ? {} : { address }) };
}
