/**
 * What a translated answer may have: more than any model writes. One that has more is a failure, so whoever gathers
 * some of it before it can be told need not keep more than one beyond the limit.
 */
export const replyLimits = {
  parts: 4_000,
  /** Links that belong to texts. */
  sources: 4_000,
  characters: 5 * 1024 * 1024,
  /** Of the arguments of one call: some protocols have them only whole. */
  argumentCharacters: 1024 * 1024,
} as const
