// The tools, one line each. The registry in app.ts reads this list; nothing else names them.

export { agent } from "./agent.ts";
export { askUser } from "./ask-user.ts";
export { bash } from "./bash.ts";
export { editFile } from "./edit-file.ts";
export { glob } from "./glob.ts";
export { grep } from "./grep.ts";
export { iacApply } from "./iac-apply.ts";
export { iacMap } from "./iac-map.ts";
export { iacPlan } from "./iac-plan.ts";
export { iacSchema } from "./iac-schema.ts";
export { iacValidate } from "./iac-validate.ts";
export { listFiles } from "./list-files.ts";
export { readFile } from "./read-file.ts";
export { todo } from "./todo.ts";
export { webFetch } from "./web-fetch.ts";
export { writeFile } from "./write-file.ts";
