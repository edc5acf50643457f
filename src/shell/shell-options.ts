// Options of bash that change neither which files a pattern names nor what a word means.

const HARMLESS =
  /^(expand_aliases|nullglob|failglob|inherit_errexit|lastpipe|checkwinsize|checkhash|cmdhist|histappend|execfail|huponexit|xpg_echo)$/;

/** True for options such as `nullglob`; `dotglob` lets `*` name `.env`, and `extglob` adds patterns of its own. */
export const isHarmlessShopt = (name: string | undefined): boolean =>
  name !== undefined && HARMLESS.test(name);
