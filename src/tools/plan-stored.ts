// The bytes of a stored plan → its card, whichever shell wrote the file (PowerShell writes UTF-16).

import type { PlanCard } from "../iac/plan/card.ts";
import { readPlan } from "../iac/plan/read-plan.ts";
import { decodeText } from "./file-text.ts";
import { withoutSecrets } from "./plan-secrets.ts";

/** A string says why it is no plan that can be read. */
export function storedCard(bytes: Uint8Array): PlanCard | string {
  const decoded = decodeText(bytes);
  if (!decoded.ok)
    return isZip(bytes)
      ? "It is a plan file in the program's own form. Give the output of `terraform show -json` of it."
      : `It cannot be read: ${decoded.reason}.`;
  const card = readPlan(decoded.text);
  return typeof card === "string" ? card : withoutSecrets(card, decoded.text);
}

/** Plan files are ZIP archives. */
const isZip = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b;
