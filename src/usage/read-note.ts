import {
  type AttemptNote,
  choiceReasons,
  type RequestChange,
  requestChanges,
} from '../core/upstreams/attempt-note.ts'
import { isObject, type JsonObject, parseJson } from '../wire/json.ts'

/** A note of the log. A note from before notes were JSON stays text. */
export function readNote(text: string): AttemptNote | string {
  const value = text.startsWith('{') ? parseJson(text) : undefined
  if (!isObject(value)) return text
  const { retryAfter, fallbackFrom, answered } = value
  const reason = choiceReasons.find((each) => each === value['reason'])
  const changes = Array.isArray(value['changes']) ? value['changes'].flatMap(readChange) : []
  return {
    ...(reason && { reason }),
    ...(typeof retryAfter === 'string' && { retryAfter }),
    ...(typeof fallbackFrom === 'string' && { fallbackFrom }),
    ...(changes.length > 0 && { changes }),
    ...(typeof answered === 'number' && { answered }),
  }
}

function readChange(value: unknown): RequestChange[] {
  if (!isObject(value)) return []
  const { field, to }: JsonObject = value
  const change = requestChanges.find((each) => each === value['change'])
  if (change === undefined || typeof field !== 'string') return []
  return [{ change, field, ...(typeof to === 'string' && { to }) }]
}
