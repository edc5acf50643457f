// What the tools of one session remember between calls. Lives and dies with the session in memory.

/** A file as this session last saw it. */
export type FileStamp = {
  /** SHA-256 of its bytes, hex. */
  readonly hash: string;
  readonly size: number;
};

export type ToolSession = {
  /** By real path: what this session read or wrote, for refusing to overwrite what changed since. */
  readonly files: Map<string, FileStamp>;
  /** Where whole command outputs are kept; made on first use, mode 0700. */
  readonly outputDir: string;
};

export function createToolSession(outputDir: string): ToolSession {
  return { files: new Map(), outputDir };
}
