const readByGoogle =
  /^https:\/\/(?:generativelanguage\.googleapis\.com|(?:www\.)?youtube\.com|youtu\.be)\//

/** Google reads the files that it stores itself. It does not fetch any other URL. */
export function needsInline(url: string): boolean {
  return !readByGoogle.test(url)
}
