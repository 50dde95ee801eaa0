/** The text before the next element of a stream without `alt=sse`, which is one JSON list. */
export function listLead(isFirst: boolean): string {
  return isFirst ? '[' : ',\n'
}

export const listEnd = ']'
