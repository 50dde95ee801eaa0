import type { Kind } from '../../../src/fields/kind.ts'

/**
 * How much the browser lets one type into the input of a text. It counts UTF-16 units, of which a character has two at
 * most; what has too many characters all the same is told by the field's rule and never cut off unseen.
 */
export function textLimit({ charactersMax }: Pick<Kind<string>, 'charactersMax'>): {
  readonly maxLength?: number
} {
  return charactersMax === undefined ? {} : { maxLength: charactersMax * 2 }
}
