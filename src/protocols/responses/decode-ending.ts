import type { Finish, ReplyEvent } from '../../core/reply-event.ts'
import { type JsonObject, objectAt, stringAt } from '../../wire/json.ts'
import type { OutputDecoder } from './decode-output.ts'
import { readFaultEvent } from './read-fault.ts'
import { decodeUsage } from './usage.ts'

/**
 * The last of a reply, from the response that it ends with: items that have not come in pieces, usage, and why
 * it ended. `itemJson` gives the exact text of an output item.
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

/** Calls beat everything but the token limit. A refusal is a part here and a reason elsewhere. */
function finishOf(response: JsonObject, status: string | undefined, output: OutputDecoder): Finish {
  if (status === 'incomplete') {
    const raw = stringAt(objectAt(response, 'incomplete_details') ?? {}, 'reason')
    if (raw === 'content_filter') return { reason: 'content-filter', raw }
    return { reason: raw === undefined || raw === 'max_output_tokens' ? 'length' : 'other', raw }
  }
  if (output.hasCall) return { reason: 'tool-calls', raw: status }
  return { reason: output.hasRefusal ? 'content-filter' : 'stop', raw: status }
}
