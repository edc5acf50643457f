// logout: forgets the stored keys; keys in the environment are not ours to forget.

import { noParams } from "../protocol/params.ts";
import { defineMethod } from "./method.ts";

export const logout = defineMethod({
  name: "logout",
  share: { type: "logout" },
  params: noParams,
  handle: async (_params, _context, { forgetKeys, reloadModels }) => {
    await forgetKeys();
    await reloadModels();
  },
});
