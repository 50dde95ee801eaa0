/**
 * The limits of a translated answer, above anything that a model writes. An answer beyond a limit is a failure, so a
 * reader that collects parts keeps at most one beyond the limit.
 */
export const replyLimits = {
  parts: 4_000,
  /** Links that belong to texts. */
  sources: 4_000,
  characters: 5 * 1024 * 1024,
  /** The arguments of one call: some protocols send them only whole. */
  argumentCharacters: 1024 * 1024,
} as const
