import type { RandomBytes } from '../core/id.ts'

const tokenBytes = 32

/** A token that nobody can guess. */
export function randomToken(random: RandomBytes): string {
  return Buffer.from(random(tokenBytes)).toString('base64url')
}

/** Matches such a token, as a part of a pattern. */
export const tokenPattern = `[\\w-]{${Math.ceil((tokenBytes * 4) / 3)}}`
