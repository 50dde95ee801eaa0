/**
 * A number that is rarely the same twice. `String` keeps the texts of a thousand numbers, and replacing one of them means
 * to wait for memory.
 */
export function changingText(number: number): string {
  return JSON.stringify(number)
}
