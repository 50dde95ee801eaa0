import type { MemberSpan } from './find-members.ts'
import { stringEnd } from './json-string.ts'

/** Edits to the members of one JSON object; values are JSON text. */
export interface MemberEdits {
  readonly removed: Set<string>
  readonly renamed: Map<string, string>
  readonly replaced: Map<string, string>
  /** Members that the object does not have yet. */
  readonly added: Map<string, string>
}

export function noEdits(): MemberEdits {
  return { removed: new Set(), renamed: new Map(), replaced: new Map(), added: new Map() }
}

/** Edits the outermost object of the text in one pass. Every byte that no edit names stays unchanged. */
export function editMembers(
  text: string,
  members: ReadonlyMap<string, MemberSpan>,
  edits: MemberEdits,
): string {
  const { removed, renamed, replaced, added } = edits
  let edited = ''
  let at = 0
  let keptCount = 0
  let previousEnd: number | undefined
  const spans = [...members]
  for (const [index, [name, span]] of spans.entries()) {
    if (removed.has(name)) {
      // Remove one comma too: the one before the member if an earlier member is kept, otherwise the one after it.
      const start = keptCount > 0 ? (previousEnd ?? span.memberStart) : span.memberStart
      const end =
        keptCount > 0 ? span.valueEnd : (spans[index + 1]?.[1].memberStart ?? span.valueEnd)
      edited += text.slice(at, start)
      at = end
    } else {
      keptCount += 1
      const newName = renamed.get(name)
      if (newName !== undefined) {
        edited += text.slice(at, span.memberStart) + JSON.stringify(newName)
        at = stringEnd(text, span.memberStart) + 1
      }
      const newValue = replaced.get(name)
      if (newValue !== undefined) {
        edited += text.slice(at, span.valueStart) + newValue
        at = span.valueEnd
      }
    }
    previousEnd = span.valueEnd
  }
  if (added.size > 0) {
    const end = text.lastIndexOf('}')
    const additions = [...added].map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    edited += text.slice(at, end) + (keptCount > 0 ? ',' : '') + additions.join(',')
    at = end
  }
  return edited + text.slice(at)
}
