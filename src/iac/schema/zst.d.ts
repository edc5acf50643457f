// A packed index imported with `{ type: "file" }` is its path: on disk in development, inside the binary when compiled.

declare module "*.zst" {
  const path: string;
  export { path as default };
}
