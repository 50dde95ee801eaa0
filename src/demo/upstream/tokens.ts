// A demo token is a word with the spaces before it. A long run without spaces (JSON, a URL, Chinese) counts once per
// twelve characters, so that such text is also streamed in several pieces.
const tokenPattern = /\s*\S{1,12}|\s+$/gu

export function splitTokens(text: string): readonly string[] {
  return text.match(tokenPattern) ?? []
}

export function countTokens(text: string): number {
  return splitTokens(text).length
}

/** The first tokens of a text, with an ellipsis where something was left out. */
export function excerptOf(text: string, tokensMax: number): string {
  const tokens = splitTokens(text.trim())
  if (tokens.length <= tokensMax) return tokens.join('')
  return `${tokens.slice(0, tokensMax).join('')}…`
}
