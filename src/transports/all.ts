// Every way in. One line a member.

export { http } from "./http.ts";
export { stdio } from "./stdio.ts";
