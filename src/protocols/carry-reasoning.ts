import { foldReply } from '../core/fold-reply.ts'
import type { ModelRequest, Opaque, Part, ReasoningPart, Turn } from '../core/model-request.ts'
import type { ReplyEvent } from '../core/reply-event.ts'

/** What a vendor wants back with a call and many clients do not keep. */
export interface CarriedReasoning {
  /** Sealed or signed thoughts that stood between the call before and this one. */
  readonly reasoning: readonly ReasoningPart[]
  /** The signature of the call itself. */
  readonly opaque?: Opaque | undefined
}

/** The opaque reasoning of a reply by the id of the call that it belongs to. */
export function opaqueOfReply(events: Iterable<ReplyEvent>): Map<string, CarriedReasoning> {
  const carried = new Map<string, CarriedReasoning>()
  for (const { parts } of foldReply(events).answers) {
    let reasoning: ReasoningPart[] = []
    for (const { part } of parts) {
      if (part.type === 'reasoning' && part.opaque) reasoning.push(part)
      if (part.type !== 'tool-call') continue
      if (reasoning.length > 0 || part.opaque) {
        carried.set(part.id, { reasoning, opaque: part.opaque })
      }
      reasoning = []
    }
  }
  return carried
}

/** Puts reasoning back that a client has lost: into assistant turns with calls and no opaque token of their own. */
export function restoreReasoning(
  request: ModelRequest,
  find: (callId: string) => CarriedReasoning | undefined,
): ModelRequest {
  let isChanged = false
  const turns = request.turns.map((turn) => {
    const restored = restoreTurn(turn, find)
    if (restored !== turn) isChanged = true
    return restored
  })
  return isChanged ? { ...request, turns } : request
}

function restoreTurn(turn: Turn, find: (callId: string) => CarriedReasoning | undefined): Turn {
  if (turn.role !== 'assistant' || turn.parts.some(hasOpaque)) return turn
  const found = new Map<Part, CarriedReasoning>()
  for (const part of turn.parts) {
    const carried = part.type === 'tool-call' ? find(part.id) : undefined
    if (carried) found.set(part, carried)
  }
  if (found.size === 0) return turn
  const hasReasoning = [...found.values()].some(({ reasoning }) => reasoning.length > 0)
  const firstCall = turn.parts.find((part) => part.type === 'tool-call')
  // Thoughts stand before everything that the model said in the step, its text as well.
  const parts: Part[] = [...((firstCall && found.get(firstCall)?.reasoning) ?? [])]
  for (const part of turn.parts) {
    // The same thoughts without their token would stand there twice.
    if (part.type === 'reasoning' && hasReasoning) continue
    const carried = found.get(part)
    if (carried && part !== firstCall) parts.push(...carried.reasoning)
    parts.push(part.type === 'tool-call' && carried ? { ...part, opaque: carried.opaque } : part)
  }
  return { ...turn, parts }
}

function hasOpaque(part: Part): boolean {
  return 'opaque' in part && part.opaque !== undefined
}
