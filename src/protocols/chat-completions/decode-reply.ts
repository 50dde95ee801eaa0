import type { JsonText } from '../../core/model-request.ts'
import type { ReplyEvent } from '../../core/reply-event.ts'
import { isObject } from '../../wire/json.ts'
import type { UpstreamContext } from '../translation.ts'
import { ChatChunkDecoder, parseReply } from './decode-events.ts'
import { readFault, readStreamFault } from './faults.ts'

/** A whole reply is decoded as one chunk whose message is its delta. */
export function decodeReply(text: JsonText, context: UpstreamContext): ReplyEvent[] {
  const value = parseReply(text)
  const isReply = isObject(value) && Array.isArray(value['choices']) && !value['error']
  if (!isReply) {
    const hasError = isObject(value) && isObject(value['error'])
    return [{ type: 'fault', fault: hasError ? readStreamFault(text) : readFault(502, text) }]
  }
  const decoder = new ChatChunkDecoder(context)
  const events = decoder.read(value, 'message')
  return events.at(-1)?.type === 'fault' ? events : [...events, ...decoder.finish()]
}
