const indent = '  '

/** Formats JSON text for readers and changes nothing else: numbers and keys keep their spelling. */
export function prettyJson(text: string): string {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g) ?? []
  let out = ''
  let depth = 0
  const newLine = () => `\n${indent.repeat(depth)}`
  for (const [at, token] of tokens.entries()) {
    if (token === '{' || token === '[') {
      depth += 1
      const isEmpty = /^[\]}]$/.test(tokens[at + 1] ?? '')
      out += isEmpty ? token : token + newLine()
    } else if (token === '}' || token === ']') {
      depth -= 1
      const isEmpty = /^[[{]$/.test(tokens[at - 1] ?? '')
      out += isEmpty ? token : newLine() + token
    } else if (token === ',') out += token + newLine()
    else out += token === ':' ? ': ' : token
  }
  return out
}
