import type { Finish, FinishReason } from '../../../core/neutral/reply-event.ts'
import { type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'

const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop-sequence',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  pause_turn: 'pause',
  refusal: 'content-filter',
}

const encodedReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  pause: 'pause_turn',
  'content-filter': 'refusal',
  'malformed-call': 'end_turn',
  other: 'end_turn',
}

/** Why a message ended, from the fields that a message and a `message_delta` share. */
export function decodeFinish(fields: JsonObject, hasCalls: boolean): Finish {
  const raw = stringAt(fields, 'stop_reason')
  const reported = raw === undefined ? undefined : (reasons[raw] ?? 'other')
  const isNatural = reported === undefined || reported === 'stop' || reported === 'other'
  const reason = hasCalls && isNatural ? 'tool-calls' : (reported ?? 'other')
  const stopSequence = stringAt(fields, 'stop_sequence')
  const explanation = stringAt(objectAt(fields, 'stop_details') ?? {}, 'explanation')
  return {
    reason,
    raw,
    ...(stopSequence === undefined ? {} : { stopSequence }),
    ...(explanation === undefined ? {} : { explanation }),
  }
}

/** The contents of the reply besides its finish reason. They may be more reliable than the upstream's reason. */
export interface Delivered {
  readonly hasCalls: boolean
  /** The text of a refusal; undefined when there was none. */
  readonly refusal: string | undefined
}

export function encodeFinish(finish: Finish, delivered: Delivered): JsonObject {
  const stopReason = stopReasonOf(finish, delivered)
  const isRefusal = stopReason === 'refusal'
  const explanation = finish.explanation ?? delivered.refusal ?? null
  return {
    stop_reason: stopReason,
    stop_sequence: stopReason === 'stop_sequence' ? (finish.stopSequence ?? null) : null,
    stop_details: isRefusal ? { type: 'refusal', category: null, explanation } : null,
  }
}

/** With these reasons, the calls are not to be answered, or not yet. */
const callless: ReadonlySet<FinishReason> = new Set(['content-filter', 'pause', 'malformed-call'])

function stopReasonOf({ reason, raw, stopSequence }: Finish, delivered: Delivered): string {
  if (reason === 'length')
    return raw !== undefined && reasons[raw] === reason ? raw : encodedReasons.length
  if (delivered.hasCalls && !callless.has(reason)) return 'tool_use'
  if (delivered.refusal !== undefined) return 'refusal'
  // Only this protocol reports the matched sequence, and the reason has no meaning without it.
  if (reason === 'stop-sequence' && stopSequence === undefined) return 'end_turn'
  if (reason === 'tool-calls') return 'end_turn'
  return encodedReasons[reason]
}
