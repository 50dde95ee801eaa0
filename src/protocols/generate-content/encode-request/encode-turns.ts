import type { ModelRequest, Part, Turn } from '../../../core/neutral/model-request.ts'
import { RawJson } from '../../../wire/exact-json.ts'
import { systemReminder } from '../../fit/system-reminder.ts'
import type { Notes } from '../../notes.ts'
import type { Target } from '../../translation.ts'
import { encodeArguments } from '../values/call-arguments.ts'
import { skipValidation } from '../values/opaque.ts'
import { encodeMedia } from './encode-media.ts'
import { encodeResult } from './encode-result.ts'
import { placeSignatures } from './place-signatures.ts'

interface Content {
  readonly role: 'user' | 'model'
  readonly parts: unknown[]
}

/** The conversation: neighbouring turns of one role form one content. Results come first, in the order of the calls. */
export function encodeTurns(request: ModelRequest, target: Target, notes: Notes): Content[] {
  const contents: Content[] = []
  let calls: string[] = []
  for (const group of groupByRole(request.turns)) {
    const isModel = group.role === 'assistant'
    const parts = isModel
      ? encodeModelParts(group.parts, target, notes)
      : encodeUserTurn(inCallOrder(group.parts, calls), target, notes)
    if (isModel) calls = callsIn(group.parts)
    const last = contents.at(-1)
    const role = isModel ? 'model' : 'user'
    if (parts.length === 0) continue
    if (last?.role === role) for (const part of parts) last.parts.push(part)
    else contents.push({ role, parts })
  }
  return contents
}

function callsIn(parts: readonly Part[]): string[] {
  const calls: string[] = []
  for (const part of parts) if (part.type === 'tool-call') calls.push(part.id)
  return calls
}

interface Group {
  readonly role: 'user' | 'assistant'
  readonly parts: readonly Part[]
}

function groupByRole(turns: readonly Turn[]): Group[] {
  const groups: Group[] = []
  /** The parts of the last group, once the group has its own list. */
  let own: Part[] | undefined
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'assistant' : 'user'
    const parts = turn.role === 'system' ? remind(turn.parts) : turn.parts
    const last = groups.at(-1)
    if (last?.role !== role) {
      own = undefined
      groups.push({ role, parts })
      continue
    }
    if (!own) {
      own = [...last.parts]
      groups[groups.length - 1] = { role, parts: own }
    }
    for (const part of parts) own.push(part)
  }
  return groups
}

function remind(parts: readonly Part[]): Part[] {
  const text = systemReminder(parts)
  return text === undefined ? [] : [{ type: 'text', text }]
}

function inCallOrder(parts: readonly Part[], calls: readonly string[]): readonly Part[] {
  if (!parts.some(isResult)) return parts
  // Most clients send results in this order.
  if (
    calls.every((id, index) => isAnswerTo(parts[index], id)) &&
    !hasResultFrom(parts, calls.length)
  )
    return parts
  const ranks = new Map<string, number>()
  for (const [index, id] of calls.entries()) if (!ranks.has(id)) ranks.set(id, index)
  const rank = (part: Part) =>
    part.type === 'tool-result' ? (ranks.get(part.callId) ?? calls.length) : calls.length + 1
  return parts.toSorted((left, right) => rank(left) - rank(right))
}

function isResult({ type }: Part): boolean {
  return type === 'tool-result'
}

function isAnswerTo(part: Part | undefined, callId: string): boolean {
  return part?.type === 'tool-result' && part.callId === callId
}

function hasResultFrom(parts: readonly Part[], start: number): boolean {
  for (let index = start; index < parts.length; index += 1) {
    if (parts[index]?.type === 'tool-result') return true
  }
  return false
}

function encodeModelParts(parts: readonly Part[], target: Target, notes: Notes): unknown[] {
  const { signed, hasDropped } = placeSignatures(parts, target)
  if (hasDropped) notes.harmless('reasoning', 'history_dropped')
  const isNewest = target.traits.takesCallIds !== false
  const hasSignedCall = signed.some(({ part, signature }) => part.type === 'tool-call' && signature)
  // The newest models reject a first call without a signature, and a call of another vendor has none.
  let mustSkip = isNewest && !hasSignedCall
  const encoded: unknown[] = []
  for (const { part, signature } of signed) {
    const thoughtSignature = signature
    switch (part.type) {
      case 'text':
        if (part.text !== '' || signature) encoded.push({ text: part.text, thoughtSignature })
        break
      case 'reasoning':
        encoded.push({ text: part.text, thought: true, thoughtSignature })
        break
      case 'tool-call': {
        const { args, isWrapped } = encodeArguments(part.argumentsText, part.form)
        if (isWrapped) notes.harmless('messages', 'arguments_wrapped')
        const id = isNewest ? part.id : undefined
        encoded.push({
          functionCall: { id, name: part.name, args },
          thoughtSignature: signature ?? (mustSkip ? skipValidation : undefined),
        })
        mustSkip = false
        break
      }
      default:
        for (const other of encodeOther(part, notes)) encoded.push(other)
    }
  }
  return encoded
}

/** The service rejects empty text. Without the turn, the model would continue its own last message. */
function encodeUserTurn(parts: readonly Part[], target: Target, notes: Notes): unknown[] {
  const encoded = encodeUserParts(parts, target, notes)
  if (encoded.length > 0 || !parts.some((part) => part.type === 'text')) return encoded
  notes.lossy('messages', 'user_turn_added')
  return [{ text: 'Go on.' }]
}

function encodeUserParts(parts: readonly Part[], target: Target, notes: Notes): unknown[] {
  const isNewest = target.traits.takesCallIds !== false
  let results: unknown[] | undefined
  const others: unknown[] = []
  for (const part of parts) {
    if (part.type === 'tool-result') {
      const { part: encoded, beside } = encodeResult(part, isNewest, notes)
      results ??= []
      results.push(encoded)
      for (const media of beside) others.push(media)
    } else if (part.type === 'text') {
      if (part.text !== '') others.push({ text: part.text })
    } else for (const other of encodeOther(part, notes)) others.push(other)
  }
  return results ? [...results, ...others] : others
}

/** Parts that both roles share. */
function encodeOther(part: Part, notes: Notes): unknown[] {
  switch (part.type) {
    case 'media':
      return [encodeMedia(part, notes)]
    case 'refusal':
      return part.text === '' ? [] : [{ text: part.text }]
    case 'hosted':
      if (part.protocol === 'generate-content') return [new RawJson(part.json)]
      notes.harmless('messages', 'hosted_dropped')
      return []
    default:
      return []
  }
}
