import type { ModelRequest, Part, ToolCallPart } from '../core/model-request.ts'

/** Gives every result the name and the form of the call that it answers; a result without a call stays as it is. */
export function nameResults(request: ModelRequest): ModelRequest {
  const calls = new Map<string, ToolCallPart>()
  let isChanged = false
  const named = (part: Part): Part => {
    if (part.type === 'tool-call') calls.set(part.id, part)
    if (part.type !== 'tool-result') return part
    const call = calls.get(part.callId)
    if (!call || (call.name === part.name && call.form === part.form)) return part
    isChanged = true
    return { ...part, name: call.name, form: call.form }
  }
  const turns = request.turns.map((turn) => ({ ...turn, parts: turn.parts.map(named) }))
  return isChanged ? { ...request, turns } : request
}
