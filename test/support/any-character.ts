import fc from 'fast-check'

const firstSurrogate = 0xd800
const surrogates = 0x800
const lastCharacter = 0x10_ffff

/**
 * Any character of Unicode. It draws from what `unit: 'binary'` of fast-check draws from, which first makes a table of
 * all million of them, in more than a second.
 */
export const anyCharacter = fc
  .nat({ max: lastCharacter - surrogates })
  .map((at) => String.fromCodePoint(at < firstSurrogate ? at : at + surrogates))
