/**
 * The addresses of a text, as people write them or a mail program copies them: `ann@example.com, "Lee, Bob"
 * <bob@example.com>; Doe, Eve <eve@example.com>`. Beside an address in angle brackets, words without @ are a name.
 * Nothing else is left out, so that a mistyped address is found.
 */
export function listAddresses(text: string): string[] {
  const unnamed = text.replace(/"[^"\n]*"(?=\s*<)/g, ' ')
  return unnamed.split(/[;\n]/).flatMap((part) => {
    const words: readonly string[] = part.match(/<[^<>]*>|[^\s,<>]+/g) ?? []
    const hasNames = words.some((word) => word.startsWith('<'))
    return words
      .filter((word) => !hasNames || /^<|@/.test(word))
      .map((word) => word.replace(/^[<'"]+|[>'"]+$/g, ''))
  })
}
