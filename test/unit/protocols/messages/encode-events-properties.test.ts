import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { foldReply } from '../../../../src/core/neutral/fold-reply.ts'
import type { Opaque } from '../../../../src/core/neutral/model-request.ts'
import type { PartHead, ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { anyCharacter } from '../../../support/any-character.ts'
import { decodeStream, encodeStream } from './helpers.ts'
import { begin, contentOf, end, usage, whole } from './reply-events.ts'

const opaque: fc.Arbitrary<Opaque | undefined> = fc.option(
  fc.record({
    issuer: fc.constantFrom('google/gemini', 'openai/gpt'),
    kind: fc.constantFrom('signature' as const, 'sealed' as const),
    data: fc.string({ minLength: 1 }),
  }),
  { nil: undefined },
)

const heads: fc.Arbitrary<PartHead> = fc.oneof(
  fc.record({ type: fc.constantFrom('text' as const, 'reasoning' as const, 'refusal' as const) }),
  fc.record({
    type: fc.constant('tool-call' as const),
    id: fc.stringMatching(/^[a-z:.]{0,6}$/),
    name: fc.constant('f'),
    form: fc.constantFrom('function' as const, 'custom' as const),
    opaque,
  }),
  fc.constant({ type: 'hosted', protocol: 'responses', json: '{}' } as const),
  fc.constant({
    type: 'hosted',
    protocol: 'messages',
    json: '{"type":"server_tool_use","id":"s","name":"w","input":{}}',
  } as const),
  fc.constant({
    type: 'media',
    mime: 'image/png',
    source: { type: 'base64', data: 'x' },
  } as const),
)

const part: fc.Arbitrary<ReplyEvent[]> = fc
  .tuple(heads, fc.array(fc.string({ unit: anyCharacter })), opaque)
  .map(([head, texts, signed]) => {
    const isJson = head.type === 'tool-call' && head.form === 'function'
    const isSilent = head.type === 'hosted' || head.type === 'media'
    const told = isJson ? [JSON.stringify({ texts })] : texts
    const deltas = isSilent ? [] : told
    return [
      { type: 'part-start', answer: 0, part: head },
      ...deltas.map((text) => ({ type: 'part-delta', answer: 0, text }) as const),
      { type: 'part-end', answer: 0, opaque: signed },
    ]
  })

const reply = fc
  .tuple(fc.array(part, { maxLength: 8 }), fc.boolean())
  .map(([parts, hasUsage]) => [begin, ...parts.flat(), ...(hasUsage ? [usage] : []), end('stop')])

function saidIn(events: readonly ReplyEvent[]): unknown {
  const parts = foldReply(events).answers[0]?.parts.map((each) => each.part) ?? []
  const texts = (...types: string[]) =>
    parts.map((each) => (types.includes(each.type) && 'text' in each ? each.text : '')).join('')
  const calls = parts.flatMap((each) =>
    each.type === 'tool-call' && each.form === 'function' ? [each.argumentsText] : [],
  )
  return { text: texts('text', 'refusal'), reasoning: texts('reasoning'), calls }
}

describe('messages: any reply to a client', () => {
  test('follows the rules of the protocol, and the stream equals the reply that is not streamed', () => {
    fc.assert(
      fc.property(reply, (events) => {
        expect<unknown[]>(contentOf(events)).toEqual(contentOfWhole(events))
      }),
    )
  })

  test('means the same when it is decoded again', () => {
    const hasOnlyWords = (events: ReplyEvent[]) =>
      events.every(
        (event) =>
          event.type !== 'part-start' ||
          event.part.type === 'text' ||
          event.part.type === 'reasoning' ||
          (event.part.type === 'tool-call' && event.part.form === 'function'),
      )
    fc.assert(
      fc.property(reply.filter(hasOnlyWords), (events) => {
        expect(saidIn(decodeStream(encodeStream(events)))).toEqual(saidIn(events))
      }),
    )
  })
})

function contentOfWhole(events: readonly ReplyEvent[]): unknown[] {
  const { content } = whole(events)
  return Array.isArray(content) ? content : []
}
