import type { ReplyEvent } from '../../../core/neutral/reply-event.ts'
import { parseKeepingText } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, parseJson } from '../../../wire/json.ts'
import type { SseFrame } from '../../../wire/sse-framer.ts'
import type { EventDecoder, UpstreamContext } from '../../translation.ts'
import { MessageReader } from './part-reader.ts'

const membersKept = new Set(['input', 'content'])
const nothing: ReplyEvent[] = []

export function openDecoder(context: UpstreamContext): EventDecoder {
  const reader = new MessageReader(context)
  const push = (frame: SseFrame): ReplyEvent[] => {
    const { data } = frame
    if (data === undefined) return nothing
    const event = parseEvent(data, frame.event)
    if (isObject(event)) reader.read(typeOf(event, frame), event)
    else if (frame.event === 'error') reader.fail(undefined)
    return reader.take()
  }
  // This protocol has its own last event. Without it, a stream that closes was cut, except at some vendors.
  const end = (): ReplyEvent[] => {
    if (context.replies.stream?.endsAtClose === true) reader.close()
    return reader.take()
  }
  return { push, end }
}

/** Only the start of a block may contain the client's own JSON. The rest arrives as strings. */
function parseEvent(data: string, name: string | undefined): unknown {
  const isStart = name === 'content_block_start' || name === undefined
  return isStart ? parseKeepingText(data, membersKept) : parseJson(data)
}

function typeOf(event: JsonObject, frame: SseFrame): unknown {
  if (event['type'] !== undefined) return event['type']
  return isObject(event['error']) ? 'error' : frame.event
}
