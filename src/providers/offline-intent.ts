// What a prompt asks of the offline reviewer, by its words. Coarse on purpose: it is no language model.

export type OfflineIntent = "review" | "validate" | "explain" | "chat" | "summarise";

const WORDS: readonly (readonly [OfflineIntent, RegExp])[] = [
  ["summarise", /^USER: /],
  [
    "review",
    /\b(review|fix|mend|repair|improve|harden|secure|security|audit|problem|problems|wrong|issue|issues|revis\w*|corrig\w*|melhor\w*)\b/i,
  ],
  ["validate", /\b(validate|check|lint|valid\w*|verify|verifi\w*)\b/i],
  [
    "explain",
    /\b(explain|describe|overview|summary|what is|what does|show|list|map|expli\w*|descrev\w*)\b/i,
  ],
];

/** `chat` when nothing fits. */
export function intentOf(prompt: string): OfflineIntent {
  return WORDS.find(([, pattern]) => pattern.test(prompt))?.[0] ?? "chat";
}
