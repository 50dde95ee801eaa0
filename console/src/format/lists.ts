/** `A, B, C`, or `A、B、C` in Chinese. */
export function formatList(parts: readonly string[], language: string): string {
  return new Intl.ListFormat(language, { type: 'conjunction', style: 'narrow' }).format(parts)
}
