import type { ModelRequest, Part, ToolCallPart } from '../../core/neutral/model-request.ts'

/** Gives every result the name and the form of its call. A result without a call stays unchanged. */
export function nameResults(request: ModelRequest): ModelRequest {
  const calls = new Map<string, ToolCallPart>()
  let isChanged = false
  const turns = request.turns.map((turn) => {
    if (!turn.parts.some(isCallOrResult)) return turn
    const parts = turn.parts.map((part) => named(part, calls))
    if (parts.every((part, index) => part === turn.parts[index])) return turn
    isChanged = true
    return { ...turn, parts }
  })
  return isChanged ? { ...request, turns } : request
}

function isCallOrResult({ type }: Part): boolean {
  return type === 'tool-call' || type === 'tool-result'
}

function named(part: Part, calls: Map<string, ToolCallPart>): Part {
  if (part.type === 'tool-call') calls.set(part.id, part)
  if (part.type !== 'tool-result') return part
  const call = calls.get(part.callId)
  if (!call || (call.name === part.name && call.form === part.form)) return part
  return { ...part, name: call.name, form: call.form }
}
