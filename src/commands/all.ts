// Every slash command. One line a member; nothing else is re-exported from here.

export { clear } from "./clear.ts";
export { compact } from "./compact.ts";
export { help } from "./help.ts";
export { map } from "./map.ts";
export { mode } from "./mode.ts";
export { model } from "./model.ts";
export { plan } from "./plan.ts";
export { rename } from "./rename.ts";
export { review } from "./review.ts";
export { status } from "./status.ts";
export { undo } from "./undo.ts";
export { validate } from "./validate.ts";
