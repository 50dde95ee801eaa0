import type { ModelRequest, Part } from '../core/model-request.ts'
import { fitWord, isFitWord, type WordRules } from './fit-word.ts'
import type { ToolRules } from './translation.ts'

/**
 * Replaces ids of calls in the history that the upstream would refuse: too long, of foreign characters, or used
 * by an earlier turn as well. A call and its result get the same new id, and the same id gives the same one in
 * every request.
 */
export function fitCallIds(request: ModelRequest, rules: ToolRules): ModelRequest {
  const words = { lengthMax: rules.callIdLengthMax, pattern: rules.callIdPattern }
  if (areFit(request, words)) return request
  const taken = legalIds(request, words)
  const used = new Set<string>()
  let open = new Map<string, string[]>()
  const callId = (id: string): string => {
    const isFree = isFitWord(id, words) && !used.has(id)
    const fitted = isFree ? id : fitWord(id, words, (each) => taken.has(each) || used.has(each))
    used.add(fitted)
    open.set(id, [...(open.get(id) ?? []), fitted])
    return fitted
  }
  const resultId = (id: string): string => {
    const [first, ...later] = open.get(id) ?? []
    if (first === undefined) {
      return isFitWord(id, words) ? id : fitWord(id, words, (each) => taken.has(each))
    }
    // The last one stays: a result that was sent twice still belongs to its call.
    if (later.length > 0) open.set(id, later)
    return first
  }
  const fit = (part: Part): Part => {
    if (part.type === 'tool-call') return { ...part, id: callId(part.id) }
    return part.type === 'tool-result' ? { ...part, callId: resultId(part.callId) } : part
  }
  const turns = request.turns.map((turn) => {
    if (turn.parts.some((part) => part.type === 'tool-call'))
      open = withoutCallsOf(turn.parts, open)
    return { ...turn, parts: turn.parts.map(fit) }
  })
  return { ...request, turns }
}

/** An id that is used again stands for the new call from there on. */
function withoutCallsOf(
  parts: readonly Part[],
  open: Map<string, string[]>,
): Map<string, string[]> {
  const kept = new Map(open)
  for (const part of parts) if (part.type === 'tool-call') kept.delete(part.id)
  return kept
}

function areFit(request: ModelRequest, words: WordRules): boolean {
  const seen = new Set<string>()
  for (const { parts } of request.turns) {
    for (const part of parts) {
      if (part.type === 'tool-call') {
        if (seen.has(part.id) || !isFitWord(part.id, words)) return false
        seen.add(part.id)
      } else if (part.type === 'tool-result' && !isFitWord(part.callId, words)) return false
    }
  }
  return true
}

function legalIds(request: ModelRequest, words: WordRules): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const { parts } of request.turns) {
    for (const part of parts) {
      if (part.type === 'tool-call' && isFitWord(part.id, words)) ids.add(part.id)
    }
  }
  return ids
}
