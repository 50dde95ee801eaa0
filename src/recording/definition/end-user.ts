import { plainTextKind } from '../../fields/kinds.ts'

/** Longer ids of end users are cut when they are stored. */
export const endUserCharactersMax = 1_000
/** The id of an end user, as the client sent it. */
export const endUserKind = plainTextKind(endUserCharactersMax)
