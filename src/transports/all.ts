// Every way in. One line a member.

export { http } from "./http-transport.ts";
export { stdio } from "./stdio.ts";
