// A tree of 50,000 small Terraform files with what searches trip over: ignored files at several depths, links, binaries.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FOLDERS = 1_000;
const FILES_PER_FOLDER = 50;
const BLOCK =
  'resource "aws_instance" "web" {\n  ami = "ami-123456"\n  tags = { Name = "web" }\n}\n';

/** 50,000 files; every hundredth folder holds one with `needle_in_hay`, and one with it that is ignored. */
export function makeSearchTree(root: string): void {
  writeFileSync(join(root, ".gitignore"), "*.log\nbuild/\n/top-only.tf\n!keep.log\n");
  writeFileSync(join(root, "top-only.tf"), "needle_in_hay\n");
  writeFileSync(join(root, "keep.log"), "needle_in_hay\n");
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    const path = join(root, `m${folder % 20}`, `s${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_PER_FOLDER; file += 1) {
      const isNeedle = folder % 100 === 0 && file === 0;
      writeFileSync(
        join(path, `f${file}.tf`),
        BLOCK.repeat(30) + (isNeedle ? "needle_in_hay\n" : ""),
      );
    }
    if (folder % 100 !== 0) continue;
    writeFileSync(join(path, "noise.log"), "needle_in_hay\n");
    mkdirSync(join(path, "build"));
    writeFileSync(join(path, "build", "out.tf"), "needle_in_hay\n");
    writeFileSync(join(path, ".gitignore"), "local.tf\n");
    writeFileSync(join(path, "local.tf"), "needle_in_hay\n");
    writeFileSync(join(path, "top-only.tf"), "needle_in_hay at depth\n");
    writeFileSync(
      join(path, "image.bin"),
      Buffer.from([0, 1, 2, ...Buffer.from("needle_in_hay"), 0]),
    );
    symlinkSync(join(root, "keep.log"), join(path, "link.tf"));
  }
}
