import type { JsonText } from '../../../core/neutral/model-request.ts'
import type { ReplyEvent } from '../../../core/neutral/reply-event.ts'
import { isObject } from '../../../wire/json.ts'
import { reportedOrUnreadable } from '../../fault-message.ts'
import type { UpstreamContext } from '../../translation.ts'
import { readFault, readStreamFault } from '../faults.ts'
import { ChatChunkDecoder, parseReply } from './decode-events.ts'

/** A whole reply is decoded as one chunk whose message is its delta. */
export function decodeReply(text: JsonText, context: UpstreamContext): ReplyEvent[] {
  const value = parseReply(text)
  const isReply = isObject(value) && Array.isArray(value['choices']) && !value['error']
  if (!isReply) {
    const hasError = isObject(value) && isObject(value['error'])
    const fault = hasError ? readStreamFault(text) : reportedOrUnreadable(readFault(502, text))
    return [{ type: 'fault', fault }]
  }
  const decoder = new ChatChunkDecoder(context)
  const events = decoder.read(value, 'message')
  return events.at(-1)?.type === 'fault' ? events : [...events, ...decoder.finish()]
}
