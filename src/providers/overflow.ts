// Recognises "the prompt is too long" in the wordings of the endpoints we know. Pure. Checked before the retry rules,
// since some send it with a status that would be tried again (Ollama: 500; rate limits by tokens: 429).

const OVERFLOW: readonly RegExp[] = [
  // OpenAI, DeepSeek, vLLM, OpenRouter: "This model's maximum context length is 65536 tokens".
  /context[_ ]length[_ ]exceeded|maximum context length|max(imum)? (input|prompt|sequence) length/i,
  // DashScope.
  /range of input length should be|input length should be/i,
  // llama.cpp; LM Studio, which cannot shift its window.
  /exceed_context_size|exceeds? the available context size|n_keep\W+>=?\W+n_ctx|first \d+ tokens when context the overflows/i,
  // Ollama.
  /(input|prompt)( length)? (is too long|exceeds)[^.]*context|exceeds?( the)?( maximum)? context (length|window|size|limit)/i,
  // Anthropic and gateways to it.
  /prompt is too long|input is too long|input length and `?max_tokens`? exceed/i,
  // Gemini.
  /input token count[^.]*exceeds the maximum/i,
  // Kimi, GLM, MiniMax, xAI.
  /exceeded model token limit|prompt exceeds max length|Prompt 超长|context window exceeds|maximum prompt length/i,
  // Groq and OpenAI refuse one request that is larger than the limit of a whole minute.
  /request too large/i,
  /(reduce|shorten) the length of (the|your) (messages|prompt|input)|(total|too many) (input )?tokens[^.]*exceed/i,
  /context (length|window|size)[^.]*(exceed|too (small|long|large))/i,
];

/** True when an error's text, code or type says that the request does not fit the model's window. */
export function isOverflowText(text: string): boolean {
  return OVERFLOW.some((pattern) => pattern.test(text));
}
