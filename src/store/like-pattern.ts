/** For `lower(column) LIKE … ESCAPE '!'`: texts that contain `part`, whatever it is made of. */
export function likePattern(part: string): string {
  return exactLikePattern(part.toLowerCase())
}

/** For `column LIKE … ESCAPE '!'`. Of the two engines one looks at the case of letters, so more may be found. */
export function exactLikePattern(part: string): string {
  return `%${part.replace(/[!%_]/g, '!$&')}%`
}
