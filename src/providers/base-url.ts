// Base URLs as people write them, made into the ones requests are sent to. Pure.

/** An address that already names a version gets no `/v1`. */
const VERSIONED = /\/v\d+[a-z\d]*(\/|$)/;

export type BaseUrl =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly error: string };

/** Trims blanks, trailing slashes and a trailing `/chat/completions` or `/responses`; needs a scheme. */
export function normalizeBaseUrl(text: string): BaseUrl {
  const trimmed = text.trim();
  if (!/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed))
    return {
      ok: false,
      error: `Base URL ${JSON.stringify(trimmed)} is not an http(s) address: write it with its scheme, like https://api.example.com/v1`,
    };
  const [address = "", query] = trimmed.split("?", 2);
  const url = address
    .replace(/\/+$/, "")
    .replace(/\/(chat\/completions|responses)$/, "")
    .replace(/\/+$/, "");
  return { ok: true, url: query === undefined ? url : `${url}?${query}` };
}

/** The address with `/v1`, to be tried when the bare one answers 404; `undefined` when it has a version. */
export function withVersion(url: string): string | undefined {
  const { pathname } = new URL(url);
  if (VERSIONED.test(pathname)) return undefined;
  const [address = "", query] = url.split("?", 2);
  return query === undefined ? `${address}/v1` : `${address}/v1?${query}`;
}
