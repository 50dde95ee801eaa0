import type { Finish, FinishReason } from '../../core/reply-event.ts'
import { isObject, type JsonObject, stringAt } from '../../wire/json.ts'

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop-sequence',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
}

/**
 * Why a choice ended. OpenAI says `stop` after a forced call, so calls decide; vLLM tells the stop sequence that
 * was hit beside the reason.
 */
export function decodeFinish(raw: string | undefined, choice: unknown, hasCalls: boolean): Finish {
  const told = raw === undefined ? 'other' : (reasons[raw] ?? 'other')
  if (told === 'length' || told === 'content-filter') return { reason: told, raw }
  if (hasCalls) return { reason: 'tool-calls', raw }
  if (told === 'tool-calls') return { reason: 'stop', raw }
  const stopSequence = isObject(choice) ? stringAt(choice, 'stop_reason') : undefined
  if (
    told === 'stop' &&
    stopSequence !== undefined &&
    stopSequence !== '' &&
    !(stopSequence in reasons)
  )
    return { reason: 'stop-sequence', raw, stopSequence }
  return { reason: told, raw }
}

/** The reason to finish that a choice names; servers also send null and the empty string while it goes on. */
export function finishOf(choice: JsonObject): string | undefined {
  const reason = stringAt(choice, 'finish_reason')
  return reason === '' ? undefined : reason
}
