import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { foldReply } from '../../../../src/core/neutral/fold-reply.ts'
import type {
  FinishReason,
  PartHead,
  ReplyEvent,
} from '../../../../src/core/neutral/reply-event.ts'
import { isObject, type JsonObject } from '../../../../src/wire/json.ts'
import { repeats } from '../../../support/repeats.ts'
import { decodeStream, start, write } from './helpers.ts'

const opaque = fc.constantFrom(
  undefined,
  { issuer: 'google/gemini', kind: 'signature' as const, data: 'c2ln' },
  { issuer: 'openai/gpt', kind: 'sealed' as const, data: 'gAAAA' },
)
const head: fc.Arbitrary<PartHead> = fc.oneof(
  fc.constantFrom<PartHead>({ type: 'text' }, { type: 'reasoning' }, { type: 'refusal' }),
  fc.record({
    type: fc.constant('tool-call' as const),
    id: fc.string({ minLength: 1, maxLength: 8 }),
    name: fc.constantFrom('f', 'g'),
    form: fc.constantFrom('function' as const, 'custom' as const),
    opaque,
  }),
  fc.constant<PartHead>({ type: 'hosted', protocol: 'messages', json: '{}' }),
)
const part = fc
  .tuple(head, fc.array(fc.string({ unit: 'grapheme', maxLength: 6 }), { maxLength: 4 }), opaque)
  .map(([shape, pieces, seal]): ReplyEvent[] => [
    { type: 'part-start', answer: 0, part: shape },
    ...pieces.map((text): ReplyEvent => ({ type: 'part-delta', answer: 0, text })),
    { type: 'part-end', answer: 0, opaque: seal },
  ])
const reason = fc.constantFrom<FinishReason>(
  'stop',
  'length',
  'tool-calls',
  'content-filter',
  'other',
)
const reply = fc
  .tuple(fc.array(part, { maxLength: 6 }), reason)
  .map(([parts, why]): ReplyEvent[] => [
    start,
    ...parts.flat(),
    { type: 'reply-end', finishes: [{ reason: why, raw: undefined }] },
  ])

/** Items by their index as a client assembles them; checks each rule of the event order on the way. */
function checkLadder(events: readonly JsonObject[]): unknown[] {
  const open = new Map<unknown, string>()
  const done: unknown[] = []
  for (const [number, event] of events.entries()) {
    expect(event['sequence_number']).toBe(number)
    const index = event['output_index']
    if (event['type'] === 'response.output_item.added') {
      expect(index).toBe(done.length)
      expect(open.size).toBe(0)
      open.set(index, '')
    } else if (event['type'] === 'response.output_item.done') {
      expect(open.delete(index)).toBe(true)
      done.push(event['item'])
    } else if (index !== undefined) {
      expect(open.has(index)).toBe(true)
      checkText(event, index, open)
    }
  }
  expect(open.size).toBe(0)
  return done
}

function checkText(event: JsonObject, index: unknown, open: Map<unknown, string>): void {
  const type = String(event['type'])
  if (type.endsWith('part.added')) open.set(index, '')
  if (type.endsWith('.delta')) open.set(index, `${open.get(index)}${String(event['delta'])}`)
  if (!type.endsWith('.done') || type.includes('part.')) return
  const whole = event['text'] ?? event['refusal'] ?? event['arguments'] ?? event['input']
  expect(whole).toBe(open.get(index))
}

/** The meaning of a reply, without what this protocol lacks or expresses differently. */
function gist(events: readonly ReplyEvent[]): unknown[] {
  const [answer] = foldReply(events).answers
  return (answer?.parts ?? []).flatMap(({ part: each }) => {
    if (each.type === 'tool-call') {
      const { id, name, form, argumentsText } = each
      const text = form === 'function' && argumentsText === '' ? '{}' : argumentsText
      return [[form, id, name, text]]
    }
    if (each.type === 'text' || each.type === 'refusal' || each.type === 'reasoning') {
      return each.text === '' ? [] : [[each.type, each.text]]
    }
    return []
  })
}

describe('any reply', () => {
  test('has the right order of events, and means the same when it is read again', () => {
    fc.assert(
      fc.property(reply, (events) => {
        const { events: written, final, text } = write(events)
        const items = checkLadder(written)
        expect(final?.['output']).toEqual(items)
        const last = written.at(-1)
        expect(last?.['type']).toBe(`response.${String(final?.['status'])}`)
        for (const item of items) {
          if (isObject(item)) expect(item['id']).not.toBe(item['call_id'])
        }
        expect(gist(decodeStream(text))).toEqual(gist(events))
      }),
      { numRuns: repeats(120) },
    )
  })
})
