import type { ModelRequest, Part } from '../core/model-request.ts'

/** Gives every result the name of the call that it answers; a result without a call stays as it is. */
export function nameResults(request: ModelRequest): ModelRequest {
  const names = new Map<string, string>()
  let isChanged = false
  const named = (part: Part): Part => {
    if (part.type === 'tool-call') names.set(part.id, part.name)
    if (part.type !== 'tool-result') return part
    const name = names.get(part.callId)
    if (name === undefined || name === part.name) return part
    isChanged = true
    return { ...part, name }
  }
  const turns = request.turns.map((turn) => ({ ...turn, parts: turn.parts.map(named) }))
  return isChanged ? { ...request, turns } : request
}
