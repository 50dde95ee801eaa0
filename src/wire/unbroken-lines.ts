/** Line ends that Unicode defines, and neither JSON nor server-sent events do. */
const otherLineEnds = /[\u0085\u2028\u2029]/g

/**
 * Escapes these characters in lines of JSON, which changes no value. Some clients, Google's for Python among them,
 * split a stream at every Unicode line end and would read half an event.
 */
export function unbrokenLines(lines: string): string {
  return lines.replace(otherLineEnds, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
