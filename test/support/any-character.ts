import fc from 'fast-check'

const firstSurrogate = 0xd800
const surrogates = 0x800
const lastCharacter = 0x10_ffff

/**
 * Any Unicode character. fast-check's `unit: 'binary'` draws from the same set, but first builds a table of a million
 * characters, which takes more than a second.
 */
export const anyCharacter = fc
  .nat({ max: lastCharacter - surrogates })
  .map((at) => String.fromCodePoint(at < firstSurrogate ? at : at + surrogates))
