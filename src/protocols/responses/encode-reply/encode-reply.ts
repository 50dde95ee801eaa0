import { Fault } from '../../../core/fault.ts'
import type { JsonText } from '../../../core/neutral/model-request.ts'
import type { ReplyEvent } from '../../../core/neutral/reply-event.ts'
import type { ReplyContext } from '../../translation.ts'
import { openEncoder } from './encode-events.ts'

/** The whole reply is the response object of the stream's last event. */
export function encodeReply(events: readonly ReplyEvent[], context: ReplyContext): JsonText {
  const encoder = openEncoder(context)
  for (const event of events) encoder.push(event)
  const whole = encoder.finalResponse()
  if (whole !== undefined) return whole
  throw new Fault(
    'upstream_error',
    'The upstream ended its response before it was complete. Try again.',
  )
}
