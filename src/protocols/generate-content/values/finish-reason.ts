import type { Finish, FinishReason } from '../../../core/neutral/reply-event.ts'
import { type JsonObject, stringAt } from '../../../wire/json.ts'

const reasons: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  // The limit of one request was reached before the answer was complete.
  CONTINUATION: 'length',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  LANGUAGE: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  MODEL_ARMOR: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  IMAGE_PROHIBITED_CONTENT: 'content-filter',
  IMAGE_RECITATION: 'content-filter',
  MALFORMED_FUNCTION_CALL: 'malformed-call',
  UNEXPECTED_TOOL_CALL: 'malformed-call',
  MALFORMED_RESPONSE: 'malformed-call',
  OTHER: 'other',
}

/** The numbers that a server sends if the request asks for enums as numbers. */
const numbered = [
  'FINISH_REASON_UNSPECIFIED',
  'STOP',
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
  'OTHER',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MALFORMED_FUNCTION_CALL',
]

/** Why a candidate ended; undefined while it continues. */
export function decodeFinish(candidate: JsonObject): Finish | undefined {
  const reported = candidate['finishReason'] ?? undefined
  if (reported === undefined) return undefined
  const raw = typeof reported === 'number' ? numbered[reported] : reported
  if (typeof raw !== 'string') return { reason: 'other', raw: JSON.stringify(reported) }
  const reason = reasons[raw] ?? 'other'
  // With a natural end, the message only reports that calls were made.
  const explanation = reason === 'stop' ? undefined : stringAt(candidate, 'finishMessage')
  return explanation === undefined ? { reason, raw } : { reason, raw, explanation }
}

/** Reasons that calls do not override: the call was cut, filtered, or names a tool that was not offered. */
const final: ReadonlySet<FinishReason> = new Set(['length', 'content-filter', 'malformed-call'])

/** Calls end with STOP here. They count unless the service reports otherwise. */
export function withCalls(finish: Finish, hasCalls: boolean): Finish {
  return hasCalls && !final.has(finish.reason) ? { reason: 'tool-calls', raw: finish.raw } : finish
}

const encodedReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  length: 'MAX_TOKENS',
  'tool-calls': 'STOP',
  'content-filter': 'SAFETY',
  pause: 'STOP',
  'malformed-call': 'MALFORMED_FUNCTION_CALL',
  other: 'OTHER',
}

/** The finish reason of this protocol. A raw value of this protocol is kept. */
export function encodeFinish({ reason, raw }: Finish): string {
  return raw !== undefined && reasons[raw] === reason ? raw : encodedReasons[reason]
}
