// Every ACP method we answer. One line a member; nothing else is re-exported from here.

export { authenticate } from "./authenticate.ts";
export { initialize } from "./initialize.ts";
export { logout } from "./logout.ts";
export { sessionCancel } from "./session-cancel.ts";
export { sessionClose } from "./session-close.ts";
export { sessionDelete } from "./session-delete.ts";
export { sessionFork } from "./session-fork.ts";
export { sessionList } from "./session-list.ts";
export { sessionLoad } from "./session-load.ts";
export { sessionNew } from "./session-new.ts";
export { sessionPrompt } from "./session-prompt.ts";
export { sessionResume } from "./session-resume.ts";
export { sessionSetConfigOption } from "./session-set-config-option.ts";
export { sessionSetMode } from "./session-set-mode.ts";
export { sessionSetModel } from "./session-set-model.ts";
