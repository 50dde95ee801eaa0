import type { Fault } from '../../../core/fault.ts'
import { isObject, type JsonObject, objectAt } from '../../../wire/json.ts'
import { dataOf, type SseFrame } from '../../../wire/sse-framer.ts'
import { TextMeter } from '../../measure/text-meter.ts'
import type { FrameVerdict, ReplyReading, StreamTap } from '../../protocol.ts'
import { type ReplyTraits, usageTraitsIn } from '../../reply-traits.ts'
import type { RequestFacts } from '../../request-facts.ts'
import { readStreamFault } from '../faults.ts'
import { reasoningOfBlock, textOfBlock } from '../values/reply-text.ts'
import { UsageReports } from '../values/usage.ts'

/** Watches a stream for usage, failure and its end. Every byte passes unchanged. */
export function openTap(_: RequestFacts, traits: ReplyTraits): StreamTap {
  const reports = new UsageReports(usageTraitsIn(traits, 'messages'))
  const meter = new TextMeter()
  const thoughts = new TextMeter()
  let isFinal = false
  let hasStarted = false

  const read = (frame: SseFrame): FrameVerdict => {
    const { data } = frame
    if (data === undefined) return forward(frame, false)
    const event = dataOf(frame)
    if (!isObject(event)) {
      return frame.event === 'error' ? failed(frame, readStreamFault(event)) : forward(frame, false)
    }
    switch (typeOf(event, frame)) {
      case 'content_block_delta': {
        const text = textOfBlock(event['delta'])
        if (text !== '') meter.add(text)
        reports.last.note(undefined, text !== '')
        thoughts.add(reasoningOfBlock(event['delta']))
        return forward(frame, text !== '')
      }
      case 'content_block_start': {
        const text = textOfBlock(event['content_block'])
        if (text !== '') meter.add(text)
        reports.last.note(undefined, text !== '')
        thoughts.add(reasoningOfBlock(event['content_block']))
        return forward(frame, text !== '')
      }
      case 'message_start':
        hasStarted = true
        reports.addFrom(objectAt(event, 'message') ?? {})
        return forward(frame, false)
      case 'message_delta':
        reports.addFrom(event)
        isFinal = true
        return forward(frame, false)
      case 'message_stop':
        return { ...forward(frame, false), isTerminator: true }
      case 'error':
        return failed(frame, readStreamFault(event))
      default:
        return forward(frame, false)
    }
  }

  /** A stream that was cut has reported its input and hardly any of its output. */
  const reading = (): ReplyReading => {
    const { usage, isBehind } = reports.last
    return {
      usage,
      ...(usage && !isFinal ? { isUsageProvisional: true } : {}),
      ...(usage && (!isFinal || isBehind) ? { isUsageInterim: true } : {}),
      isFinished: isFinal,
      deliveredTokens: () => meter.tokens(),
      reasoningTokens: () => thoughts.tokens(),
    }
  }
  const end = (): FrameVerdict | undefined => {
    if (traits.stream?.endsAtClose !== true || !hasStarted) return undefined
    isFinal = true
    return { bytes: lastEvent, isTerminator: true, fault: undefined, isContent: false }
  }
  return { read, end, reading }
}

const lastEvent = new TextEncoder().encode('event: message_stop\ndata: {"type":"message_stop"}\n\n')

function typeOf(event: JsonObject, frame: SseFrame): unknown {
  if (event['type'] !== undefined) return event['type']
  return isObject(event['error']) ? 'error' : frame.event
}

function forward(frame: SseFrame, isContent: boolean): FrameVerdict {
  return { bytes: frame.bytes, isTerminator: false, fault: undefined, isContent }
}

function failed(frame: SseFrame, fault: Fault): FrameVerdict {
  return { ...forward(frame, false), fault }
}
