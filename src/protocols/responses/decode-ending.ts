import type { Finish, ReplyEvent } from '../../core/reply-event.ts'
import { type JsonObject, objectAt, stringAt } from '../../wire/json.ts'
import type { OutputDecoder } from './decode-output.ts'
import { readFaultEvent } from './read-fault.ts'
import { decodeUsage } from './usage.ts'

/**
 * Decodes the end of a reply from its final response: items that did not arrive in pieces, usage, and the finish
 * reason. `itemJson` returns the exact text of an output item.
 */
export function decodeEnding(
  response: JsonObject,
  status: string | undefined,
  output: OutputDecoder,
  itemJson: (index: number) => string,
): ReplyEvent[] {
  const items = Array.isArray(response['output']) ? response['output'] : []
  output.lastItems(items, itemJson)
  output.queue.endAll()
  const usage = decodeUsage(response['usage'], output.usageTraits)
  if (usage) output.queue.say({ type: 'usage', usage })
  output.queue.say(
    status === 'failed' || status === 'cancelled'
      ? { type: 'fault', fault: readFaultEvent({ response }) }
      : { type: 'reply-end', finishes: [finishOf(response, status, output)] },
  )
  return output.queue.take()
}

/**
 * Calls take precedence over everything but the token limit. A refusal is a part here and a finish reason elsewhere.
 */
function finishOf(response: JsonObject, status: string | undefined, output: OutputDecoder): Finish {
  if (status === 'incomplete') {
    const raw = stringAt(objectAt(response, 'incomplete_details') ?? {}, 'reason')
    if (raw === 'content_filter') return { reason: 'content-filter', raw }
    return { reason: raw === undefined || raw === 'max_output_tokens' ? 'length' : 'other', raw }
  }
  if (output.hasCall) return { reason: 'tool-calls', raw: status }
  return { reason: output.hasRefusal ? 'content-filter' : 'stop', raw: status }
}
