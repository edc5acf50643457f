// Takes keys out of texts that an endpoint wrote. Pure.

/** Shorter values would mask ordinary words. */
const MIN_SECRET_LENGTH = 8;

/** Replaces known secrets, and what looks like a key, by `***`. Values under 8 characters are left alone. */
export function maskKeys(text: string, secrets: readonly string[]): string {
  let masked = text;
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_LENGTH) continue;
    const forms = [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      btoaOr(secret),
    ];
    for (const form of forms) masked = masked.replaceAll(form, "***");
  }
  return masked
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=*-]{6,}/gi, "$1 ***")
    .replace(/\b(sk|pk|gsk|xai|key|AIza|ghp|hf)[-_][\w*-]{6,}|\bAIza[\w-]{10,}/g, "***")
    .replace(/(\/\/)[^/@\s]+@/g, "$1***@");
}

const btoaOr = (text: string): string => Buffer.from(text).toString("base64");
