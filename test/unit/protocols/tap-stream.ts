import { openTap } from '../../../src/protocols/chat-completions/pass-through/tap.ts'
import type { FrameVerdict, StreamTap } from '../../../src/protocols/protocol.ts'
import type { RequestFacts } from '../../../src/protocols/request-facts.ts'
import { SseFramer } from '../../../src/wire/sse-framer.ts'
import { repliesAt } from '../../support/exchanges/recorded-replies.ts'

const frameBytesMax = 16_000_000

export interface TappedStream {
  /** The output for the client, including the unfinished rest. */
  readonly text: string
  readonly verdicts: readonly FrameVerdict[]
  readonly reading: ReturnType<StreamTap['reading']>
}

/** Sends a stream through framer and tap in pieces of the given lengths, repeated. */
export function tapStream(
  text: string,
  wantsStreamUsage: boolean,
  lengths: readonly number[] = [text.length * 4 + 1],
): TappedStream {
  const facts: RequestFacts = {
    model: 'm',
    isStream: true,
    outputTokensMax: undefined,
    answers: 1,
    wantsStreamUsage,
    framing: 'sse',
  }
  const bytes = new TextEncoder().encode(text)
  const framer = new SseFramer(frameBytesMax)
  const tap = openTap(facts, repliesAt('https://nobody-knows.test'))
  const verdicts: FrameVerdict[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1
    for (const frame of framer.push(bytes.slice(at, at + length))) verdicts.push(tap.read(frame))
    at += length
  }
  const out = [...verdicts.map((each) => each.bytes ?? new Uint8Array(0)), framer.rest()]
  return { text: Buffer.concat(out).toString(), verdicts, reading: tap.reading() }
}
