// Loads the bash grammar once, on first use. The two wasm files are imported as files, so that `bun build --compile`
// embeds them and the same bytes are read from disk in development.

import type { Parser } from "web-tree-sitter";
import bashWasm from "tree-sitter-bash/tree-sitter-bash.wasm" with { type: "file" };
import engineWasm from "web-tree-sitter/web-tree-sitter.wasm" with { type: "file" };

let loading: Promise<Parser> | undefined;

async function load(): Promise<Parser> {
  const [{ Language, Parser }, engine, bash] = await Promise.all([
    import("web-tree-sitter"),
    Bun.file(engineWasm).bytes(),
    Bun.file(bashWasm).bytes(),
  ]);
  await Parser.init({ wasmBinary: engine });
  return new Parser().setLanguage(await Language.load(bash));
}

/** The one bash parser; it is used synchronously, so sharing it is safe. Rejects when the grammar cannot be loaded. */
export function bashParser(): Promise<Parser> {
  loading ??= load();
  return loading;
}
