// What a rule of the wire is, for the lists in requirements.ts and requirements-wire.ts.

import type { TransportName } from "../support/acp-client.ts";

export type Requirement = {
  /** Section of the contract, case of the fault list, page of the specification. */
  readonly source: string;
  readonly rule: string;
  /** Default: all. */
  readonly transports?: readonly TransportName[];
  /** Why it cannot hold on the others; goes with `transports`. */
  readonly not?: string;
  /** The file under test/ whose test is named like the rule; absent where a `verifies()` proves it on each transport. */
  readonly file?: string;
};
