import type { Kind } from '../../../../src/fields/kind.ts'

/**
 * The maximum length that the browser enforces. It counts UTF-16 units, of which a character has at most two. The
 * field's rule reports a text that is still too long; nothing is cut off silently.
 */
export function textLimit({ charactersMax }: Pick<Kind<string>, 'charactersMax'>): {
  readonly maxLength?: number
} {
  return charactersMax === undefined ? {} : { maxLength: charactersMax * 2 }
}
