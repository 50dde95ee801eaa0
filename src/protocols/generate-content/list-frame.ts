/** A stream without `alt=sse` is one JSON list: what stands before its next element. */
export function listLead(isFirst: boolean): string {
  return isFirst ? '[' : ',\n'
}

export const listEnd = ']'
