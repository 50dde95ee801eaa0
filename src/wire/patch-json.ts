import type { MemberSpan } from './find-members.ts'

/** One change to the outermost object of a JSON text; `value` is JSON text. */
export interface MemberPatch {
  readonly name: string
  readonly value: string
}

/**
 * Replaces or adds members of the outermost object and leaves every other byte unchanged, so that unknown fields,
 * number spelling and key order (a provider's prompt cache matches by prefix) survive.
 */
export function patchMembers(
  text: string,
  members: ReadonlyMap<string, MemberSpan>,
  patches: readonly MemberPatch[],
): string {
  const cuts: { start: number; end: number; insert: string }[] = []
  const additions: string[] = []
  for (const { name, value } of patches) {
    const span = members.get(name)
    if (span) cuts.push({ start: span.valueStart, end: span.valueEnd, insert: value })
    else additions.push(`${JSON.stringify(name)}:${value}`)
  }
  if (additions.length > 0) {
    const end = text.lastIndexOf('}')
    cuts.push({ start: end, end, insert: (members.size > 0 ? ',' : '') + additions.join(',') })
  }
  cuts.sort((left, right) => left.start - right.start)
  let patched = ''
  let at = 0
  for (const cut of cuts) {
    patched += text.slice(at, cut.start) + cut.insert
    at = cut.end
  }
  return patched + text.slice(at)
}

/** Removes one member, with the comma after it or, for the last member, the comma before it. */
export function removeMember(
  text: string,
  members: ReadonlyMap<string, MemberSpan>,
  name: string,
): string {
  const span = members.get(name)
  if (!span) return text
  let start = span.memberStart
  let end = span.valueEnd
  const following = text.slice(end).search(/\S/)
  if (following >= 0 && text[end + following] === ',') {
    end += following + 1
  } else {
    const before = text.slice(0, start).trimEnd()
    if (before.endsWith(',')) start = before.length - 1
  }
  return text.slice(0, start) + text.slice(end)
}
