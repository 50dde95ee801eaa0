import type { Opaque, Part } from '../../../core/neutral/model-request.ts'
import type { Target } from '../../translation.ts'
import { nativeIssuer } from '../values/opaque.ts'

/** A part of the model's turn with the signature to send on it. */
export interface SignedPart {
  readonly part: Part
  readonly signature: string | undefined
}

/**
 * The service signs the part after its reasoning: the first of a group of calls, or text. Clients of other protocols
 * return the signature on the reasoning before it, so each signature moves back to its part. Reasoning that another
 * vendor issued is dropped with its signature.
 */
export function placeSignatures(
  parts: readonly Part[],
  target: Target,
): { readonly signed: readonly SignedPart[]; readonly hasDropped: boolean } {
  // Most turns have no signature.
  if (!parts.some(mayBeSigned)) {
    return { signed: parts.map((part) => ({ part, signature: undefined })), hasDropped: false }
  }
  const own = parts.map((part) => ownSignature(part, target))
  const placed = parts.map((part, index) => (part.type === 'reasoning' ? undefined : own[index]))
  const kept = new Set<number>()
  const nextParts = nextAfterReasoning(parts)
  parts.forEach((part, index) => {
    if (part.type !== 'reasoning') return
    const signature = own[index]
    if (signature === undefined) {
      if (!part.opaque && placed[nextParts[index] ?? -1] !== undefined) kept.add(index)
      return
    }
    const at = placeFor(parts, placed, index, signature)
    if (at === undefined) placed[index] = signature
    else placed[at] = signature
    if (at === undefined || part.text !== '') kept.add(index)
  })
  const signed = parts.flatMap((part, index): SignedPart[] =>
    part.type === 'reasoning' && !kept.has(index) ? [] : [{ part, signature: placed[index] }],
  )
  const hasDropped = parts.some(
    (part, index) =>
      own[index] === undefined &&
      (part.type === 'reasoning'
        ? !kept.has(index)
        : 'opaque' in part && part.opaque !== undefined),
  )
  return { signed, hasDropped }
}

function mayBeSigned(part: Part): boolean {
  return part.type === 'reasoning' || ('opaque' in part && part.opaque !== undefined)
}

function ownSignature(part: Part, target: Target): string | undefined {
  const opaque: Opaque | undefined = 'opaque' in part ? part.opaque : undefined
  const isOwn = opaque?.issuer === target.issuer || opaque?.issuer === nativeIssuer
  return isOwn ? opaque?.data : undefined
}

/** The first call after the reasoning, else the first text; undefined when the signature stays on the reasoning. */
function placeFor(
  parts: readonly Part[],
  placed: readonly (string | undefined)[],
  from: number,
  signature: string,
): number | undefined {
  let text: number | undefined
  for (let index = from + 1; index < parts.length; index += 1) {
    const part = parts[index]
    if (part?.type === 'reasoning' && part.opaque) break
    if (part?.type === 'tool-call') {
      const there = placed[index]
      return there === undefined || there === signature ? index : text
    }
    if (part?.type === 'text' && placed[index] === undefined && part.text !== '') text ??= index
  }
  return text
}

/** For each part, the index of the next part that is not reasoning; -1 when there is none. */
function nextAfterReasoning(parts: readonly Part[]): readonly number[] {
  const next: number[] = Array.from({ length: parts.length })
  let at = -1
  for (let index = parts.length - 1; index >= 0; index -= 1) {
    next[index] = at
    if (parts[index]?.type !== 'reasoning') at = index
  }
  return next
}
