import { parseText } from '../playground/read-json.ts'

const tokenPattern = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g
const opening = new Set(['{', '['])
const closing = new Set(['}', ']'])

/**
 * JSON with line breaks and indentation; undefined for other text. Only white space changes, so large numbers and
 * repeated members stay as they were sent. Stops soon after `charactersMax`.
 */
export function prettyJson(text: string, charactersMax: number): string | undefined {
  if (parseText(text) === undefined) return undefined
  let pretty = ''
  let depth = 0
  let last = ''
  for (const [token] of text.matchAll(tokenPattern)) {
    if (pretty.length > charactersMax) break
    const isClosing = closing.has(token)
    if (isClosing) depth -= 1
    const isFirst = opening.has(last)
    if (isClosing !== isFirst && (isClosing || isFirst)) pretty += lineAt(depth)
    else if (last === ',') pretty += lineAt(depth)
    else if (last === ':') pretty += ' '
    pretty += token
    if (opening.has(token)) depth += 1
    last = token
  }
  return pretty
}

function lineAt(depth: number): string {
  return `\n${'  '.repeat(depth)}`
}
