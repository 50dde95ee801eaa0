import { foldReply } from '../../core/neutral/fold-reply.ts'
import type {
  ModelRequest,
  Opaque,
  Part,
  ReasoningPart,
  Turn,
} from '../../core/neutral/model-request.ts'
import type { ReplyEvent } from '../../core/neutral/reply-event.ts'

/** Reasoning that a vendor wants back with a call and that many clients do not keep. */
export interface CarriedReasoning {
  /**
   * The reasoning between the previous call and this one: only signed reasoning, or all reasoning of a vendor that does
   * not sign.
   */
  readonly reasoning: readonly ReasoningPart[]
  /** The signature of the call itself. */
  readonly opaque?: Opaque | undefined
}

type FindCarried = (callId: string) => CarriedReasoning | undefined

/** The reasoning of a reply by the id of its call. */
export function reasoningOfReply(events: Iterable<ReplyEvent>): Map<string, CarriedReasoning> {
  const carried = new Map<string, CarriedReasoning>()
  for (const { parts } of foldReply(events).answers) {
    const hasTokens = parts.some(({ part }) => hasOpaque(part))
    let reasoning: ReasoningPart[] = []
    for (const { part } of parts) {
      if (part.type === 'reasoning' && (hasTokens ? part.opaque : part.text)) reasoning.push(part)
      if (part.type !== 'tool-call') continue
      if (reasoning.length > 0 || part.opaque) {
        carried.set(part.id, { reasoning, opaque: part.opaque })
      }
      reasoning = []
    }
  }
  return carried
}

/**
 * Restores reasoning that a client has lost, in assistant turns with calls and without an opaque token of their own.
 * Unsigned reasoning goes only to an upstream that accepts it.
 */
export function restoreReasoning(
  request: ModelRequest,
  find: FindCarried,
  takesUnsigned: boolean,
): ModelRequest {
  let isChanged = false
  const turns = request.turns.map((turn) => {
    const restored = restoreTurn(turn, find, takesUnsigned)
    if (restored !== turn) isChanged = true
    return restored
  })
  return isChanged ? { ...request, turns } : request
}

function restoreTurn(turn: Turn, find: FindCarried, takesUnsigned: boolean): Turn {
  if (turn.role !== 'assistant') return turn
  if (turn.parts.some(hasOpaque)) return restoreTexts(turn, find)
  if (!turn.parts.some(isCall)) return turn
  const mayAddUnsigned = takesUnsigned && !turn.parts.some((part) => part.type === 'reasoning')
  const found = new Map<Part, CarriedReasoning>()
  for (const part of turn.parts) {
    const carried = part.type === 'tool-call' ? find(part.id) : undefined
    if (carried && (mayAddUnsigned || isSigned(carried))) found.set(part, carried)
  }
  if (found.size === 0) return turn
  const hasReasoning = [...found.values()].some(({ reasoning }) => reasoning.length > 0)
  const firstCall = turn.parts.find(isCall)
  // Reasoning comes before everything else in the step, text included.
  const parts: Part[] = [...((firstCall && found.get(firstCall)?.reasoning) ?? [])]
  for (const part of turn.parts) {
    // Otherwise the turn would contain the same reasoning twice, once without its token.
    if (part.type === 'reasoning' && hasReasoning) continue
    const carried = found.get(part)
    if (carried && part !== firstCall) parts.push(...carried.reasoning)
    parts.push(part.type === 'tool-call' && carried ? { ...part, opaque: carried.opaque } : part)
  }
  return { ...turn, parts }
}

/** For a client that returns only the token: a vendor rejects reasoning whose text has changed. */
function restoreTexts(turn: Turn, find: FindCarried): Turn {
  if (!turn.parts.some(isTextMissing)) return turn
  const lost = new Map<string, ReasoningPart>()
  for (const part of turn.parts) {
    const data = isTextMissing(part) ? part.opaque?.data : undefined
    if (isTextMissing(part) && data !== undefined && !lost.has(data)) lost.set(data, part)
  }
  const found = new Map<Part, ReasoningPart>()
  for (const call of turn.parts) {
    const carried = call.type === 'tool-call' ? find(call.id) : undefined
    for (const whole of carried?.reasoning ?? []) {
      const part = whole.opaque && lost.get(whole.opaque.data)
      if (part && whole.text !== '') found.set(part, whole)
    }
  }
  if (found.size === 0) return turn
  return { ...turn, parts: turn.parts.map((part) => found.get(part) ?? part) }
}

function isCall({ type }: Part): boolean {
  return type === 'tool-call'
}

function isTextMissing(part: Part): part is ReasoningPart {
  return part.type === 'reasoning' && part.text === '' && part.opaque !== undefined
}

function isSigned({ reasoning, opaque }: CarriedReasoning): boolean {
  return opaque !== undefined || reasoning.some(hasOpaque)
}

function hasOpaque(part: Part): boolean {
  return 'opaque' in part && part.opaque !== undefined
}
