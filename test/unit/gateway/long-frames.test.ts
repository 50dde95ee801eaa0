import { describe, expect, test } from 'bun:test'
import { LongFrames } from '../../../src/gateway/reply/long-frames.ts'
import { longReplyBytes } from '../../../src/gateway/reply/long-reply.ts'
import { protocols } from '../../../src/protocols/index.ts'
import type { RequestFacts } from '../../../src/protocols/request-facts.ts'
import { type SseFrame, SseFramer } from '../../../src/wire/sse-framer.ts'

const encoder = new TextEncoder()
const facts = { answers: 1, wantsStreamUsage: true, framing: 'sse' } as RequestFacts
const words = 'many words '.repeat(150_000)
const event = (type: string, members: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`

function openLong() {
  let minted = 0
  return new LongFrames({
    isTranslated: false,
    mint: (prefix) => {
      minted += 1
      return `${prefix}_${minted}abcdef`
    },
    onLostLogprobs: () => undefined,
  })
}

/** The estimate for the text of a stream of the responses protocol. */
async function worthOf(events: readonly string[]): Promise<number> {
  const long = openLong()
  const tap = long.wrap(protocols.responses.passThrough.openTap(facts, {}))
  const framer = new SseFramer(32 * 1024 * 1024, longReplyBytes)
  for (const each of events) {
    for (const frame of framer.push(encoder.encode(each))) {
      const opened: SseFrame = frame.isLong ? await long.open(frame) : frame
      tap.read(opened)
    }
  }
  return tap.reading().deliveredTokens()
}

const item = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: words }],
}
const ref = { output_index: 0, content_index: 0, item_id: 'msg_1' }
const deltas = (size: number) =>
  Array.from({ length: Math.ceil(words.length / size) }, (_, index) => {
    const delta = words.slice(index * size, (index + 1) * size)
    return event('response.output_text.delta', { ...ref, delta })
  })
const endings = [
  event('response.output_text.done', { ...ref, text: words }),
  event('response.content_part.done', { ...ref, part: item.content[0] }),
  event('response.output_item.done', { output_index: 0, item }),
]
const last = event('response.completed', { response: { id: 'r', output: [item] } })

describe('a long text counts once', () => {
  const rows: [string, readonly string[]][] = [
    ['in short pieces, and repeated at their end', [...deltas(50_000), ...endings, last]],
    ['in one piece, and repeated at its end', [...deltas(words.length), ...endings, last]],
    ['in one piece', deltas(words.length)],
    ['as an item alone', endings.slice(-1)],
  ]
  test.each(rows)('%s', async (_, events) => {
    const tokens = await worthOf(events)
    expect(tokens).toBeGreaterThan(280_000)
    expect(tokens).toBeLessThan(420_000)
  })
})
