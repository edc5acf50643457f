// Addresses of model endpoints as people write them, brought to the one form the client wants. Pure.

export type BaseUrl =
  | {
      readonly ok: true;
      /** Without a slash, a query or a method's path at its end. */
      readonly url: string;
      /** From the `api-version` of a pasted Azure address. */
      readonly apiVersion?: string;
      /** The address ended with this API's own path. */
      readonly api?: "responses";
    }
  /** Names the fault and the fix; never repeats the address, which may hold a key. */
  | { readonly ok: false; readonly error: string };

const METHOD_PATH = /\/+(?:chat\/completions|completions|responses)$/;
const LEADING_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Trims blanks and quotes, drops trailing slashes and a trailing `/chat/completions` or `/responses`. */
export function normalizeBaseUrl(text: string): BaseUrl {
  const trimmed = text.replace(/^[\s"'<]+|[\s"'>]+$/g, "");
  if (trimmed === "") return bad("is empty; write an address such as https://api.example.com/v1");
  if (!LEADING_SCHEME.test(trimmed)) {
    return bad("has no scheme; write https:// or, for a server of your own, http:// before it");
  }
  const url = URL.parse(trimmed);
  if (url === null) return bad("is no address; write one such as https://api.example.com/v1");
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return bad("must begin with https:// or http://");
  }
  if (url.username !== "" || url.password !== "") {
    return bad("holds a user name or a password; put the key into IACCODE_API_KEY instead");
  }
  const apiVersion = url.searchParams.get("api-version");
  return {
    ok: true,
    url: url.origin + withoutMethod(url.pathname),
    ...(apiVersion === null ? {} : { apiVersion }),
    ...(/\/responses\/*$/.test(url.pathname) ? { api: "responses" } : {}),
  };
}

function withoutMethod(path: string): string {
  const cut = path.replace(/\/+$/, "").replace(METHOD_PATH, "").replace(/\/+$/, "");
  // A path that names its method twice over is cut to the end, so that cutting again changes nothing.
  return cut === path ? cut : withoutMethod(cut);
}

function bad(what: string): BaseUrl {
  return { ok: false, error: `The base URL ${what}` };
}

/** Where Ollama listens, from what its own variable allows: `host`, `host:port`, `:port`, a whole address. */
export function ollamaBaseUrl(host: string | undefined): BaseUrl {
  const asked = (host ?? "").trim();
  const address = LEADING_SCHEME.test(asked)
    ? asked
    : `http://${asked.replace(/^:/, "127.0.0.1:")}`;
  const url = URL.parse(asked === "" ? "http://127.0.0.1" : address);
  if (url === null) return bad("in OLLAMA_HOST is no address; write host:port");
  // A wildcard is where a server listens, not where a client connects.
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  const scheme = url.protocol;
  if (url.port === "" && !/:(?:80|443)\/*$/.test(asked) && scheme === "http:") url.port = "11434";
  const base = normalizeBaseUrl(url.href);
  return base.ok && !base.url.endsWith("/v1") ? { ...base, url: `${base.url}/v1` } : base;
}
