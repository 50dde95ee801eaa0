import { describe, expect, test } from 'bun:test'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { sealOpaque } from '../../../../src/protocols/fit/seal-opaque.ts'
import { messages } from '../../../../src/protocols/messages/index.ts'
import { isObject, parseJson } from '../../../../src/wire/json.ts'
import { plainRequest, readStream, replyContext } from './helpers.ts'
import { add, begin, done, end, head, signed } from './reply-events.ts'

/** Clients treat the last block as the answer: a token after the last text would be shown instead of it. */
describe('messages: the last block of a reply', () => {
  const tails: [name: string, events: ReplyEvent[]][] = [
    ['signed text', [head({ type: 'text' }), add('a'), { ...done, opaque: signed }]],
    [
      'a signature in its own part after the text',
      [
        head({ type: 'text' }),
        add('a'),
        done,
        head({ type: 'reasoning' }),
        { ...done, opaque: signed },
      ],
    ],
    [
      'encrypted reasoning after the text',
      [
        head({ type: 'text' }),
        add('a'),
        done,
        head({ type: 'reasoning' }),
        { ...done, opaque: { ...signed, kind: 'sealed' } },
      ],
    ],
    [
      'reasoning, then signed text',
      [
        head({ type: 'reasoning' }),
        add('t'),
        done,
        head({ type: 'text' }),
        add('a'),
        { ...done, opaque: signed },
      ],
    ],
  ]
  test.each(tails)('%s: the text is the last block, whole and streamed', (_, parts) => {
    const asked = replyContext({ ...plainRequest, reasoning: { mode: 'auto' } })
    const events = [begin, ...parts, end('stop')]
    const message = parseJson(messages.translation.encodeReply(events, asked))
    const content = isObject(message) && Array.isArray(message['content']) ? message['content'] : []
    expect(content.at(-1)).toEqual({ type: 'text', text: 'a' })
    const encoder = messages.translation.openEncoder(asked)
    const streamed = readStream(events.map((event) => encoder.push(event)).join(''))
    const started = streamed.filter((each) => each['type'] === 'content_block_start')
    expect(started.at(-1)).toMatchObject({ content_block: { type: 'text' } })
  })

  test('the signature of text before a call is written, and the call is the last block', () => {
    const asked = replyContext({ ...plainRequest, reasoning: { mode: 'auto' } })
    const events: ReplyEvent[] = [
      begin,
      head({ type: 'text' }),
      add('a'),
      { ...done, opaque: signed },
      head({ type: 'tool-call', id: 'c', name: 'f', form: 'function', opaque: signed }),
      add('{}'),
      done,
      end('tool-calls'),
    ]
    expect(parseJson(messages.translation.encodeReply(events, asked))).toMatchObject({
      content: [
        { type: 'text', text: 'a' },
        { type: 'redacted_thinking', data: sealOpaque(signed) },
        { type: 'thinking', thinking: '', signature: sealOpaque(signed) },
        { type: 'tool_use', id: 'c' },
      ],
    })
  })
})
