/*
 * A character is a code point, as in JSON Schema: an emoji is one character, although its `length` is two. All length
 * limits for texts that people write count characters.
 */

export function hasAtLeast(text: string, min: number): boolean {
  return text.length >= min * 2 || (text.length >= min && Array.from(text).length >= min)
}

export function hasAtMost(text: string, max: number): boolean {
  return text.length <= max || (text.length <= max * 2 && Array.from(text).length <= max)
}

/**
 * Characters that nobody sees, or that change the direction of the text around them: with these, one name can look like
 * another.
 */
export const hiddenCharacters = String.raw`\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb`
/** The same beyond U+FFFF: not every reader of a pattern understands these. */
const farHiddenCharacters = String.raw`\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}`
const hidden = new RegExp(`[${hiddenCharacters}${farHiddenCharacters}]`, 'u')
const farHidden = new RegExp(`[${farHiddenCharacters}]`, 'u')
/** Scripts whose letters are written differently with a joiner between them. */
const joining =
  'Arabic Syriac Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar'
    .split(' ')
    .map((script) => String.raw`\p{Script=${script}}`)
    .join('')
const emoji = String.raw`\p{Extended_Pictographic}`
/** Joiners between letters of these scripts, joiners within an emoji, and the choice of how an emoji looks. */
const needed = new RegExp(
  [
    String.raw`(?<=[${joining}])[\u200c\u200d](?=[${joining}])`,
    String.raw`(?<=[${emoji}\p{Emoji_Modifier}\ufe0f])\u200d(?=${emoji})`,
    String.raw`(?<=${emoji})[\ufe0e\ufe0f]`,
    String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  ].join('|'),
  'gu',
)

/** Whether a text has a hidden character that `hiddenCharacters` lacks. */
export function hasFarHidden(text: string): boolean {
  return farHidden.test(text)
}

/** Whether a reader can see all characters of a text. Joiners are allowed where a script or an emoji needs them. */
export function isVisible(text: string): boolean {
  return !hidden.test(text) || !hidden.test(text.replace(needed, ''))
}
