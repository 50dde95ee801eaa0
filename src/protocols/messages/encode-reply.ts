import type { JsonText } from '../../core/model-request.ts'
import type { ReplyEvent } from '../../core/reply-event.ts'
import type { EventEncoder, ReplyContext } from '../translation.ts'
import { BlockWriter } from './block-writer.ts'
import { encodeFaultEvent } from './faults.ts'
import { StreamSink } from './stream-sink.ts'
import { WholeSink } from './whole-sink.ts'

export function openEncoder(context: ReplyContext): EventEncoder {
  const sink = new StreamSink(context)
  const writer = new BlockWriter(sink, context)
  const push = (event: ReplyEvent): string => {
    if (event.type === 'fault') return encodeFaultEvent(event.fault, context.requestId)
    writer.write(event)
    return sink.take()
  }
  return { push }
}

export function encodeReply(events: readonly ReplyEvent[], context: ReplyContext): JsonText {
  const sink = new WholeSink(context)
  const writer = new BlockWriter(sink, context)
  for (const event of events) if (event.type !== 'fault') writer.write(event)
  return sink.json()
}
