import type { FeatureMeter } from '../../protocols/measure/feature-meter.ts'
import type { FrameVerdict, Protocol, StreamTap } from '../../protocols/protocol.ts'
import type { ReplyTraits } from '../../protocols/reply-traits.ts'
import { isObject } from '../../wire/json.ts'
import { dataOf } from '../../wire/sse-framer.ts'
import type { SharedObjectMemory } from '../admit/shared-object-memory.ts'
import type { Exchange } from '../exchange.ts'
import type { WholeText } from '../reply/whole-text.ts'
import type { Passage, WholeReply } from './passage.ts'

/**
 * A passage that reads replies a second time to count the features that the request asked for. Requests without
 * features avoid this cost. The meter reads the upstream's reply before the translation.
 */
export function meterPassage(
  passage: Passage,
  exchange: Exchange,
  upstream: Protocol,
  replies: ReplyTraits,
  memory: SharedObjectMemory,
): Passage {
  const { features: requested } = exchange.facts
  if (requested === undefined) return passage
  const open = () =>
    upstream.passThrough.openFeatureMeter({
      requested,
      isForwarded: upstream.name === exchange.protocol.name,
      replies,
    })
  const remember = (meter: FeatureMeter) => memory.keep(exchange.caller.account.id, meter.objects())
  return {
    body: passage.body,
    isTranslated: passage.isTranslated,
    headers: passage.headers,
    warnings: passage.warnings,
    readReply(text) {
      const reply = passage.readReply(text)
      return reply && meterReply(reply, text, open(), remember)
    },
    openTap: () => meterTap(passage.openTap(), open(), remember),
    readFault: (status, bodyText) => passage.readFault(status, bodyText),
  }
}

type Remember = (meter: FeatureMeter) => void

function meterReply(
  reply: WholeReply,
  { value }: WholeText,
  meter: FeatureMeter,
  remember: Remember,
): WholeReply {
  if (isObject(value)) meter.note(value)
  remember(meter)
  return { ...reply, reading: { ...reply.reading, features: meter.uses() } }
}

function meterTap(tap: StreamTap, meter: FeatureMeter, remember: Remember): StreamTap {
  const { faultText, cutText, encode, kept, abandon, writeMore } = tap
  const noteEnd = (verdict: FrameVerdict): FrameVerdict => {
    if (verdict.isTerminator) remember(meter)
    return verdict
  }
  return {
    read(frame) {
      const event = dataOf(frame)
      if (isObject(event)) meter.note(event)
      return noteEnd(tap.read(frame))
    },
    end() {
      const verdict = tap.end()
      if (verdict) remember(meter)
      return verdict
    },
    get isCertain() {
      return tap.isCertain === true
    },
    get hasMore() {
      return tap.hasMore === true
    },
    reading: () => ({ ...tap.reading(), features: meter.uses() }),
    ...(faultText ? { faultText: faultText.bind(tap) } : {}),
    ...(cutText ? { cutText: cutText.bind(tap) } : {}),
    ...(writeMore ? { writeMore: () => noteEnd(writeMore.call(tap)) } : {}),
    ...(encode ? { encode: encode.bind(tap) } : {}),
    ...(kept ? { kept: kept.bind(tap) } : {}),
    ...(abandon ? { abandon: abandon.bind(tap) } : {}),
  }
}
