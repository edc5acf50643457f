// A wasm file imported with `{ type: "file" }` is its path: on disk in development, inside the binary when compiled.

declare module "*.wasm" {
  const path: string;
  export { path as default };
}
