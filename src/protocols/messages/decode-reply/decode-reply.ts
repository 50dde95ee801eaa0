import type { JsonText } from '../../../core/neutral/model-request.ts'
import type { ReplyEvent } from '../../../core/neutral/reply-event.ts'
import { parseKeepingText } from '../../../wire/exact-json.ts'
import { isObject } from '../../../wire/json.ts'
import { reportedOrUnreadable } from '../../fault-message.ts'
import type { UpstreamContext } from '../../translation.ts'
import { readStreamFault } from '../faults.ts'
import { MessageReader } from './part-reader.ts'

const membersKept = new Set(['input'])

/** Decodes a whole message as the events that would have produced it. */
export function decodeReply(text: JsonText, context: UpstreamContext): ReplyEvent[] {
  const message = parseKeepingText(text, membersKept)
  if (!isObject(message) || !Array.isArray(message['content'])) {
    const isError = isObject(message) && (message['type'] === 'error' || isObject(message['error']))
    const fault = readStreamFault(message)
    return [{ type: 'fault', fault: isError ? fault : reportedOrUnreadable(fault) }]
  }
  const reader = new MessageReader(context)
  reader.read('message_start', { message: { id: message['id'], model: message['model'] } })
  message['content'].forEach((block: unknown, index) => {
    reader.read('content_block_start', { index, content_block: block })
    reader.read('content_block_stop', { index })
  })
  reader.read('message_delta', { ...message, delta: message })
  reader.read('message_stop', {})
  return reader.take()
}
