/** The characters that JSON and event streams are divided by, as code units and as bytes of UTF-8. */
export const tab = 0x09
export const lineFeed = 0x0a
export const carriageReturn = 0x0d
export const space = 0x20
export const quote = 0x22
export const comma = 0x2c
export const colon = 0x3a
export const openBracket = 0x5b
export const backslash = 0x5c
export const closeBracket = 0x5d
export const letterU = 0x75
export const openBrace = 0x7b
export const closeBrace = 0x7d
