/** For `lower(column) LIKE … ESCAPE '!'`: texts that contain `part`, whatever it is made of. */
export function likePattern(part: string): string {
  return `%${part.toLowerCase().replace(/[!%_]/g, '!$&')}%`
}
