// The program's version, from package.json, embedded when compiled.

import { version } from "../../package.json";

export const VERSION: string = version;
