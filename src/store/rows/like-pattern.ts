/** For `lower(column) LIKE … ESCAPE '!'`: matches texts that contain `part`, with its special characters escaped. */
export function likePattern(part: string): string {
  return exactLikePattern(part.toLowerCase())
}

/**
 * For `column LIKE … ESCAPE '!'`. Only one of the two engines compares case-sensitively, so the other may find more.
 */
export function exactLikePattern(part: string): string {
  return `%${escaped(part)}%`
}

/** For `column LIKE … ESCAPE '!'`: matches texts that begin with `start`. */
export function prefixLikePattern(start: string): string {
  return `${escaped(start)}%`
}

function escaped(text: string): string {
  return text.replace(/[!%_]/g, '!$&')
}
