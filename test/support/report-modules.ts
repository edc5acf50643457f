// Preloaded into the program by a test: just before an answer leaves on stdout, what has been loaded until then is written
// to `$MODULES_FILE` with the id of the answer behind it, as a JSON array of paths.

import { writeFileSync } from "node:fs";

const openWriter = Bun.stdout.writer.bind(Bun.stdout);

function report(text: string): void {
  for (const [, id] of text.matchAll(/"id":(\d+),"result"/g))
    // Bun keeps ES modules in this table as well.
    writeFileSync(
      `${process.env["MODULES_FILE"]}.${id}`,
      JSON.stringify(Object.keys(require.cache)),
    );
}

Bun.stdout.writer = (options) => {
  const sink = openWriter(options);
  // Its own methods cannot be replaced.
  return {
    write: (chunk) => {
      report(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk));
      return sink.write(chunk);
    },
    flush: () => sink.flush(),
    start: (given) => sink.start(given),
    end: (error) => sink.end(error),
    ref: () => sink.ref(),
    unref: () => sink.unref(),
  };
};
