import type { Finish, FinishReason } from '../../../core/neutral/reply-event.ts'
import { isObject, type JsonObject, stringAt } from '../../../wire/json.ts'
import type { ReplyTraits } from '../../reply-traits.ts'

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
}

/**
 * Why a choice ended. OpenAI sends `stop` after a forced call, so the presence of calls decides. Some vendors report
 * the matched stop sequence beside the reason.
 */
export function decodeFinish(
  raw: string | undefined,
  choice: unknown,
  hasCalls: boolean,
  { finishReasons: extraReasons, stopSequenceField }: ReplyTraits,
): Finish {
  const reasonOf = (name: string) => ownAt(reasons, name) ?? ownAt(extraReasons, name)
  const reported = raw === undefined ? 'other' : (reasonOf(raw) ?? 'other')
  if (reported === 'length' || reported === 'content-filter') return { reason: reported, raw }
  if (hasCalls) return { reason: 'tool-calls', raw }
  if (reported === 'tool-calls') return { reason: 'stop', raw }
  if (stopSequenceField === undefined) return { reason: reported, raw }
  const stopSequence = isObject(choice) ? stringAt(choice, stopSequenceField) : undefined
  if (
    reported === 'stop' &&
    stopSequence !== undefined &&
    stopSequence !== '' &&
    reasonOf(stopSequence) === undefined
  )
    return { reason: 'stop-sequence', raw, stopSequence }
  return { reason: reported, raw }
}

/** An upstream's reason may be the name of a property that every object inherits. */
function ownAt(
  table: Readonly<Record<string, FinishReason>> | undefined,
  name: string,
): FinishReason | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined
}

/** The finish reason of a choice. While a choice continues, servers also send null or an empty string. */
export function finishOf(choice: JsonObject): string | undefined {
  const reason = stringAt(choice, 'finish_reason')
  return reason === '' ? undefined : reason
}

/**
 * An answer with calls ends in a tool-call reason, whatever reason the upstream gave. Only a token limit takes
 * precedence.
 */
export function encodeFinish(finish: Finish | undefined, calls: number, isLegacy: boolean): string {
  const callReason = isLegacy ? 'function_call' : 'tool_calls'
  switch (finish?.reason) {
    case 'length':
      return 'length'
    case 'content-filter':
      return 'content_filter'
    case 'tool-calls':
      return callReason
    case 'malformed-call':
      return 'stop'
    default:
      return calls > 0 ? callReason : 'stop'
  }
}

/** A refusal that only the finish reports and the text does not contain. */
export function explanationOf(finish: Finish | undefined, hasRefusal: boolean): string | undefined {
  if (hasRefusal || finish?.reason !== 'content-filter') return undefined
  return finish.explanation === '' ? undefined : finish.explanation
}
