import type { ProtocolName } from '../../core/neutral/protocol-name.ts'
import type { RequestChange } from '../../core/upstreams/attempt-note.ts'
import type { ParameterPolicy } from '../../core/upstreams/parameter-policy.ts'
import { protocols } from '../../protocols/index.ts'
import { editMembers, type MemberEdits, noEdits } from '../../wire/edit-members.ts'
import { findMembers, type MemberSpan } from '../../wire/find-members.ts'
import { type FieldRules, type SortedPolicy, sortPolicy } from './field-rules.ts'

export interface AppliedParameters {
  readonly body: string
  readonly changes: readonly RequestChange[]
}

type Members = ReadonlyMap<string, MemberSpan>

/**
 * Applies the parameters of a route to a request written for an upstream, and leaves every other byte unchanged. Rules
 * use the names of the fields in the body, before any renaming.
 */
export function applyParameters(
  body: string,
  policy: ParameterPolicy,
  protocol: ProtocolName,
): AppliedParameters {
  const { own, inside, limit, always } = sortPolicy(policy)
  const changes = [...always]
  const { hasTwoSpellings, hasTwoLimits } = protocols[protocol].upstreamSide
  const spell = hasTwoSpellings ? eitherSpelling : asWritten
  const members = findMembers(body)
  const edits = noEdits()
  if (limit && hasTwoLimits) nameLimit(members, limit, edits, changes)
  applyRules(body, members, own, edits, { spell, changes, prefix: '' })
  for (const [outer, rules] of inside) {
    const name = spell(members, outer)
    const span = members.get(name)
    const text = span && body.slice(span.valueStart, span.valueEnd)
    if (text === undefined ? rules.defaults.size > 0 : text.startsWith('{')) {
      const before = text ?? '{}'
      const innerMembers = findMembers(before)
      const innerEdits = noEdits()
      applyRules(before, innerMembers, rules, innerEdits, { spell, changes, prefix: `${outer}.` })
      const edited = editMembers(before, innerMembers, innerEdits)
      if (edited !== before) (span ? edits.replaced : edits.added).set(name, edited)
    }
  }
  const isUnchanged = changes.length === always.length
  return { body: isUnchanged ? body : editMembers(body, members, edits), changes }
}

/** If the client sends both names, the upstream decides. */
function nameLimit(
  members: Members,
  { wanted, other }: NonNullable<SortedPolicy['limit']>,
  edits: MemberEdits,
  changes: RequestChange[],
): void {
  if (!members.has(other) || members.has(wanted)) return
  edits.renamed.set(other, wanted)
  changes.push({ change: 'renamed', field: other, to: wanted })
}

interface ParameterContext {
  readonly spell: (members: Members, name: string) => string
  readonly changes: RequestChange[]
  readonly prefix: string
}

function applyRules(
  text: string,
  members: Members,
  rules: FieldRules,
  edits: MemberEdits,
  { spell, changes, prefix }: ParameterContext,
): void {
  for (const field of rules.drop) {
    const name = spell(members, field)
    if (!members.has(name)) continue
    edits.removed.add(name)
    changes.push({ change: 'dropped', field: prefix + field })
  }
  for (const [field, bounds] of rules.clamp) {
    const name = spell(members, field)
    const span = members.get(name)
    const clamped = span && clamp(text.slice(span.valueStart, span.valueEnd), bounds)
    if (clamped === undefined) continue
    edits.replaced.set(name, String(clamped))
    changes.push({ change: 'clamped', field: prefix + field, to: String(clamped) })
  }
  for (const [field, newName] of rules.rename) {
    const name = spell(members, field)
    // If the body already has the new name, renaming would duplicate the field.
    if (!members.has(name) || members.has(newName)) continue
    edits.renamed.set(name, newName)
    changes.push({ change: 'renamed', field: prefix + field, to: newName })
  }
  const given = new Set(edits.renamed.values())
  for (const [field, value] of rules.defaults) {
    const newName = rules.rename.get(field) ?? field
    const isThere = [spell(members, field), newName].some((name) => members.has(name))
    if (isThere || given.has(newName)) continue
    edits.added.set(newName, value)
    changes.push({ change: 'set', field: prefix + field })
  }
}

const jsonNumber = /^-?\d[\d.eE+-]*$/

/** The bound that a number exceeds; undefined when the number is within the range, or the value is not a number. */
function clamp(
  text: string,
  [least, most]: readonly [number | null, number | null],
): number | undefined {
  if (!jsonNumber.test(text)) return undefined
  const value = Number(text)
  if (least !== null && value < least) return least
  if (most !== null && value > most) return most
  return undefined
}

function asWritten(_: Members, name: string): string {
  return name
}

/** Google's servers treat `topK` and `top_k` as the same field. */
function eitherSpelling(members: Members, name: string): string {
  if (members.has(name)) return name
  const other = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return members.has(other) ? other : name
}
