import type {
  Opaque,
  Part,
  ReasoningPart,
  ToolCallPart,
} from '../../../core/neutral/model-request.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'
import type { Target } from '../../translation.ts'
import { encodeCacheMark } from '../values/cache-marks.ts'
import { type Detail, nativeIssuer, unpackDetails } from '../values/opaque.ts'

const noFields: JsonObject = {}

/** The model's earlier turn as one message; undefined when no part of it can be expressed here. */
export function encodeAssistant(
  parts: readonly Part[],
  target: Target,
  notes: Notes,
): JsonObject | undefined {
  let text = ''
  let refusal = ''
  const reasoning: ReasoningPart[] = []
  const calls: JsonObject[] = []
  // A client of another protocol may return the signature of a call on the reasoning before the call.
  let signature: Opaque | undefined
  const fields: Record<string, unknown> = {}
  for (const part of parts) {
    switch (part.type) {
      case 'text':
        text += part.text
        if (part.opaque) Object.assign(fields, encodeSignature(part.opaque, target, notes))
        break
      case 'reasoning':
        reasoning.push(part)
        if (target.traits.signsCalls && part.opaque?.issuer === target.issuer)
          signature = part.opaque
        break
      case 'refusal':
        refusal += part.text
        break
      case 'tool-call':
        calls.push(encodeCall(part, part.opaque ?? signature, target, notes))
        signature = undefined
        break
      case 'hosted':
        notes.lossy('messages', 'hosted_tools_dropped')
        break
      case 'media':
        notes.lossy('messages', 'assistant_media_dropped')
        break
      case 'tool-result':
        break
    }
  }
  if (text === '' && refusal === '' && calls.length === 0) return undefined
  return {
    role: 'assistant',
    content: markContent(text, parts, target),
    refusal: refusal === '' ? undefined : refusal,
    ...encodeReasoning(reasoning, target, notes),
    ...fields,
    tool_calls: calls.length === 0 ? undefined : calls,
  }
}

function markContent(
  text: string,
  parts: readonly Part[],
  target: Target,
): string | null | JsonObject[] {
  if (text === '') return null
  const mark = parts.findLast((part) => part.type === 'text' && part.cacheMark)
  const cacheMark = mark?.type === 'text' ? mark.cacheMark : undefined
  if (!cacheMark || !target.traits.takesCacheMarks) return text
  return [{ type: 'text', text, ...encodeCacheMark(cacheMark, target) }]
}

function encodeCall(
  { id, name, form, argumentsText }: ToolCallPart,
  opaque: Opaque | undefined,
  target: Target,
  notes: Notes,
): JsonObject {
  const signature = encodeSignature(opaque, target, notes)
  if (form === 'custom')
    return { id, type: form, custom: { name, input: argumentsText }, ...signature }
  const written = argumentsText.trim() === '' ? '{}' : argumentsText
  return { id, type: form, function: { name, arguments: written }, ...signature }
}

/** A signature on a call or a text, in the form of Google's compatible endpoint. */
function encodeSignature(opaque: Opaque | undefined, target: Target, notes: Notes): JsonObject {
  if (!opaque) return noFields
  const isTaken = opaque.issuer === target.issuer && target.traits.signsCalls === true
  if (isTaken || opaque.issuer === nativeIssuer)
    return { extra_content: { google: { thought_signature: opaque.data } } }
  notes.harmless('reasoning', 'signature_dropped')
  return {}
}

/** Earlier reasoning in the field that the model accepts. Reasoning of another vendor is dropped. */
function encodeReasoning(
  parts: readonly ReasoningPart[],
  target: Target,
  notes: Notes,
): JsonObject {
  if (parts.length === 0) return noFields
  const { reasoningReturn } = target.traits
  const own = reasoningReturn ? parts.filter((part) => isOwn(part.opaque, target)) : []
  if (own.length < parts.length) notes.harmless('reasoning', 'history_dropped')
  if (own.length === 0) return {}
  const texts = own.map((part) => part.text).filter((text) => text !== '')
  const text = texts.length === 0 ? undefined : texts.join('\n\n')
  if (reasoningReturn === 'reasoning_content') return { reasoning_content: text }
  const details: Detail[] = []
  for (const part of own) details.push(...unpackDetails(part, details.length))
  return { reasoning: text, reasoning_details: details }
}

function isOwn(opaque: Opaque | undefined, target: Target): boolean {
  return !opaque || opaque.issuer === target.issuer || opaque.issuer === nativeIssuer
}
