// Containment of paths, by the rules of both platforms.

import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { posix, win32 } from "node:path";
import { pathToFileURL, fileURLToPath } from "node:url";
import fc from "fast-check";
import { isInside, realPathOfDeepest, withSlashes } from "../../src/lib/path-inside.ts";
import { tempDir } from "../support/temp-dir.ts";

test("isInside goes component by component on Windows, whatever the case and the kind of slash", () => {
  const root = "C:\\Work\\app";
  for (const path of [
    "C:\\Work\\app",
    "c:\\work\\APP\\main.tf",
    "C:/Work/app/x/y.tf",
    "C:\\Work\\app\\..app",
  ])
    expect([path, isInside(root, path, win32)]).toEqual([path, true]);
  for (const path of [
    "C:\\Work\\app-evil\\main.tf",
    "C:\\Work",
    "D:\\Work\\app\\main.tf",
    "\\\\server\\share\\Work\\app",
    "C:\\Work\\app\\..\\other",
  ])
    expect([path, isInside(root, path, win32)]).toEqual([path, false]);
  expect(isInside("\\\\server\\share\\app", "\\\\SERVER\\share\\app\\x", win32)).toBe(true);
  expect(isInside("C:\\", "C:\\Work", win32)).toBe(true);
});

test("isInside goes component by component elsewhere, where a backslash is part of a name", () => {
  expect(isInside("/srv/app", "/srv/app/..data", posix)).toBe(true);
  expect(isInside("/srv/app", "/srv/app/a\\..\\..\\b", posix)).toBe(true);
  for (const path of ["/srv/app-evil", "/srv", "/srv/App/x", "/"])
    expect([path, isInside("/srv/app", path, posix)]).toEqual([path, false]);
});

test("what is joined below a root from plain names is inside it, and its parent is not, on both platforms", () => {
  const name = fc.stringMatching(/^[a-zA-Z0-9 ._-]{1,8}$/).filter((one) => !/^\.+$/.test(one));
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
      for (const [rules, root] of [
        [win32, "C:\\root\\a"],
        [posix, "/top/a"],
      ] as const) {
        expect(isInside(root, rules.join(root, ...names), rules)).toBe(true);
        expect(isInside(rules.join(root, ...names), root, rules)).toBe(false);
      }
    }),
  );
});

test("withSlashes turns backslashes only where they part folders", () => {
  expect(withSlashes("C:\\app\\.env", win32.sep)).toBe("C:/app/.env");
  expect(withSlashes("/app/a\\b", posix.sep)).toBe("/app/a\\b");
});

test("realPathOfDeepest follows a link in the middle of a path whose end does not exist yet", async () => {
  await using folder = await tempDir({ "real/x": "" });
  symlinkSync(folder.file("real"), folder.file("link"));
  expect(await realPathOfDeepest(folder.file("link/new/file.tf"))).toBe(
    folder.file("real/new/file.tf"),
  );
});

test("a file URL of a Windows path survives, drive letter and spaces too", () => {
  const path = "C:\\Program Files\\app\\main.tf";
  const url = pathToFileURL(path, { windows: true });
  expect(url.href).toBe("file:///C:/Program%20Files/app/main.tf");
  expect(fileURLToPath(url, { windows: true })).toBe(path);
  // As some editors write the drive.
  expect(fileURLToPath("file:///c%3A/app/main.tf", { windows: true })).toBe("c:\\app\\main.tf");
});
