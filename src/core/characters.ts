/*
 * A character is a code point, as JSON Schema counts them: an emoji is one, though `length` says two. Limits of what
 * people write are limits of characters.
 */

export function hasAtLeast(text: string, min: number): boolean {
  return text.length >= min * 2 || (text.length >= min && Array.from(text).length >= min)
}

export function hasAtMost(text: string, max: number): boolean {
  return text.length <= max || (text.length <= max * 2 && Array.from(text).length <= max)
}
