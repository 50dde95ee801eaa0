import type {
  ModelRequest,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
  TurnRole,
} from '../../core/neutral/model-request.ts'
import type { Notes } from '../notes.ts'

/** A call and its result, once found. */
interface Slot {
  readonly call: ToolCallPart
  result: ToolResultPart | undefined
  /** The result as JSON, computed on first use. Every later result of the same call is compared with it. */
  resultJson: string | undefined
}

/** A turn, its calls, and its parts that are not results of calls. */
interface Sorted {
  readonly turn: Turn
  readonly slots: readonly Slot[]
  readonly rest: readonly Part[]
}

/**
 * Makes every call have exactly one result, directly after its turn and in the order of the calls, as every upstream
 * requires. Later results move up, missing ones are reported as missing, and a result without a call becomes text of
 * the user. Calls at the very end stay open.
 */
export function answerCalls(request: ModelRequest, notes: Notes): ModelRequest {
  if (areAnswered(request.turns)) return request
  const turns: Turn[] = []
  let open: readonly Slot[] = []
  for (const { turn, slots, rest } of sortTurns(joinCallingTurns(request.turns), notes)) {
    const results = open.map((state) => state.result ?? missingResult(state.call, notes))
    open = slots
    const isAnswer = results.length > 0 && turn.role === 'user'
    if (results.length > 0)
      turns.push({ role: 'user', parts: isAnswer ? [...results, ...rest] : results })
    if (!isAnswer && (rest.length > 0 || turn.parts.length === 0))
      turns.push({ ...turn, parts: rest })
  }
  return { ...request, turns }
}

const noCalls: readonly ToolCallPart[] = []

function areAnswered(turns: readonly Turn[]): boolean {
  let expected = noCalls
  for (const { role, parts } of turns) {
    if (expected.length > 0 && role !== 'user') return false
    for (let index = 0; index < expected.length; index += 1) {
      if (!isResultOf(parts[index], expected[index]?.id)) return false
    }
    for (let index = expected.length; index < parts.length; index += 1) {
      if (parts[index]?.type === 'tool-result') return false
    }
    expected = parts.some(isCall) ? parts.filter(isCall) : noCalls
  }
  return true
}

function isCall(part: Part): part is ToolCallPart {
  return part.type === 'tool-call'
}

function isResultOf(part: Part | undefined, callId: string | undefined): boolean {
  return part?.type === 'tool-result' && part.callId === callId
}

/** A turn with calls and the assistant's next turn are one step of the model that a client has split. */
function joinCallingTurns(turns: readonly Turn[]): readonly Turn[] {
  const joined: { role: TurnRole; parts: Part[]; hasCalls: boolean }[] = []
  for (const { role, parts } of turns) {
    const last = joined.at(-1)
    const hasCalls = parts.some(isCall)
    if (role === 'assistant' && last?.role === 'assistant' && last.hasCalls) {
      for (const part of parts) last.parts.push(part)
    } else joined.push({ role, parts: [...parts], hasCalls })
  }
  return joined.map(({ role, parts }) => ({ role, parts }))
}

/**
 * A result belongs to the last call of its id before it. Calls of one turn that share an id get their results in order.
 */
function sortTurns(turns: readonly Turn[], notes: Notes): readonly Sorted[] {
  const groups = new Map<string, { readonly slots: Slot[]; answered: number }>()
  return turns.map((turn) => {
    const rest: Part[] = []
    for (const part of turn.parts) {
      if (part.type !== 'tool-result') {
        rest.push(part)
        continue
      }
      const group = groups.get(part.callId)
      const slot = group?.slots[group.answered]
      if (group && slot) {
        slot.result = part
        group.answered += 1
        continue
      }
      if (isRepeated(group?.slots.at(-1), part)) continue
      notes.lossy('messages', 'result_without_call')
      rest.push(headingOf(part))
      for (const each of part.parts) rest.push(each)
    }
    const slots = turn.parts
      .filter(isCall)
      .map((call): Slot => ({ call, result: undefined, resultJson: undefined }))
    for (const { call } of slots) groups.delete(call.id)
    for (const state of slots) {
      const group = groups.get(state.call.id)
      if (group) group.slots.push(state)
      else groups.set(state.call.id, { slots: [state], answered: 0 })
    }
    return { turn, slots, rest }
  })
}

/** Whether a client has sent the same result twice. */
function isRepeated(slot: Slot | undefined, again: ToolResultPart): boolean {
  if (!slot?.result) return false
  slot.resultJson ??= JSON.stringify(slot.result.parts)
  return slot.resultJson === JSON.stringify(again.parts)
}

function headingOf({ callId, name, isError }: ToolResultPart): TextPart {
  const what = isError ? 'Error' : 'Result'
  return { type: 'text', text: `[${what} of the tool call ${callId}${name ? ` of ${name}` : ''}]` }
}

function missingResult(call: ToolCallPart, notes: Notes): ToolResultPart {
  notes.lossy('messages', 'result_missing')
  return {
    type: 'tool-result',
    callId: call.id,
    name: call.name,
    form: call.form,
    parts: [{ type: 'text', text: 'no result provided' }],
    isError: true,
  }
}
