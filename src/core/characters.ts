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
