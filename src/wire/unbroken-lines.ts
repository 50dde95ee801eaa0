/** Where Unicode ends a line and neither JSON nor server-sent events do. */
const otherLineEnds = /[\u0085\u2028\u2029]/g

/**
 * Lines of JSON with these characters escaped, which changes no value: some clients, Google's for Python among
 * them, cut a stream at every line end that Unicode knows, and would read half an event.
 */
export function unbrokenLines(lines: string): string {
  return lines.replace(otherLineEnds, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
