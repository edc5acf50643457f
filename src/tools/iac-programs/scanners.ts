// Security scanners of whole projects: checkov and trivy. Never asked for: their absence is no gap, the rules are built in.

import { z } from "zod";
import type { Finding } from "../../iac/findings.ts";
import { parseJson } from "../../lib/json.ts";
import { toSeverity } from "./linters.ts";
import { ownCodeOf } from "./own-code.ts";
import {
  failure,
  findProgram,
  NOTHING,
  runProgram,
  toProjectPath,
  type Program,
  type ProgramOutput,
} from "./program.ts";

type Scanner = {
  readonly name: string;
  readonly args: readonly string[];
  readonly parse: (output: ProgramOutput) => readonly Finding[] | undefined;
};

export function scannerProgram({ name, args, parse }: Scanner): Program {
  return async (project) => {
    const binary = findProgram(name, project.env);
    if (binary === undefined) return NOTHING;
    const ownCode = await ownCodeOf(name, project.root);
    if (ownCode !== undefined) return { ...NOTHING, notChecked: [ownCode] };
    const output = await runProgram([binary, ...args], project.root, project);
    if (typeof output === "string") return { ...NOTHING, notChecked: [output] };
    const found = parse(output);
    if (found === undefined) return { ...NOTHING, notChecked: [failure(name, output)] };
    const findings = found.map((each) => ({
      ...each,
      file: toProjectPath(project.root, "", each.file),
    }));
    return { ran: [name], findings, notChecked: [] };
  };
}

const checkovReport = z.object({
  results: z
    .object({
      failed_checks: z.array(
        z.object({
          check_id: z.string(),
          check_name: z.string(),
          file_path: z.string(),
          file_line_range: z.array(z.number()),
          resource: z.string().optional(),
          severity: z.string().nullish(),
        }),
      ),
    })
    .optional(),
});

export const checkov: Scanner = {
  name: "checkov",
  args: ["--directory", ".", "--output", "json", "--quiet", "--compact", "--skip-download"],
  parse: ({ stdout }) => {
    const json = parseJson(stdout);
    // One framework prints an object, several a list.
    const reports = z.array(checkovReport).safeParse(Array.isArray(json) ? json : [json]);
    return reports.data?.flatMap(({ results }) =>
      (results?.failed_checks ?? []).map((check) => ({
        file: check.file_path,
        line: check.file_line_range[0] ?? 1,
        column: 1,
        severity: toSeverity(check.severity ?? "warning"),
        code: `checkov:${check.check_id}`,
        message: `${check.check_name}${check.resource === undefined ? "" : ` (${check.resource})`}`,
      })),
    );
  },
};

const trivyReport = z.object({
  Results: z
    .array(
      z.object({
        Target: z.string(),
        Misconfigurations: z
          .array(
            z.object({
              ID: z.string(),
              Title: z.string(),
              Severity: z.string(),
              CauseMetadata: z.object({ StartLine: z.number().optional() }).optional(),
            }),
          )
          .optional(),
      }),
    )
    .optional(),
});

export const trivy: Scanner = {
  name: "trivy",
  args: ["config", "--quiet", "--format", "json", "--skip-check-update", "."],
  parse: ({ stdout }) =>
    trivyReport
      .safeParse(parseJson(stdout))
      .data?.Results?.flatMap(({ Target, Misconfigurations }) =>
        (Misconfigurations ?? []).map(({ ID, Title, Severity, CauseMetadata }) => ({
          file: Target,
          line: CauseMetadata?.StartLine ?? 1,
          column: 1,
          severity: toSeverity(Severity),
          code: `trivy:${ID}`,
          message: Title,
        })),
      ),
};
