const readByGoogle =
  /^https:\/\/(?:generativelanguage\.googleapis\.com|(?:www\.)?youtube\.com|youtu\.be)\//

/** Files that Google itself keeps are read by it; everything else of the web is foreign. */
export function needsInline(url: string): boolean {
  return !readByGoogle.test(url)
}
