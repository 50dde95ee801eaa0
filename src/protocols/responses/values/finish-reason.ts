import type { Finish } from '../../../core/neutral/reply-event.ts'
import { type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import type { OutputReader } from '../decode-reply/part-reader.ts'

/**
 * Calls take precedence over everything but the token limit. A refusal is a part here and a finish reason elsewhere.
 */
export function decodeFinish(
  response: JsonObject,
  status: string | undefined,
  output: OutputReader,
): Finish {
  if (status === 'incomplete') {
    const raw = stringAt(objectAt(response, 'incomplete_details') ?? {}, 'reason')
    if (raw === 'content_filter') return { reason: 'content-filter', raw }
    return { reason: raw === undefined || raw === 'max_output_tokens' ? 'length' : 'other', raw }
  }
  if (output.hasCall) return { reason: 'tool-calls', raw: status }
  return { reason: output.hasRefusal ? 'content-filter' : 'stop', raw: status }
}
