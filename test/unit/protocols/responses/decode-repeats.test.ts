import { describe, expect, test } from 'bun:test'
import { foldReply } from '../../../../src/core/neutral/fold-reply.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { decodeStream, streamOf } from './helpers.ts'
import { created, plain } from './wire-events.ts'

/** Events of servers with unusual indexes, names and repeats: each word is delivered once. */

type Place = { readonly at?: number; readonly id?: string; readonly part?: number }

const refOf = ({ at, id }: Place): JsonObject => ({
  ...(at === undefined ? {} : { output_index: at }),
  ...(id === undefined ? {} : { item_id: id }),
})
const delta = (text: string, place: Place): JsonObject => ({
  type: 'response.output_text.delta',
  ...refOf(place),
  content_index: place.part ?? 0,
  delta: text,
})
const thought = (text: string, place: Place): JsonObject => ({
  type: 'response.reasoning_text.delta',
  ...refOf(place),
  content_index: place.part ?? 0,
  delta: text,
})
const part = (text: string): JsonObject => ({ type: 'output_text', text, annotations: [] })
const textDone = (text: string, place: Place): JsonObject => ({
  type: 'response.output_text.done',
  ...refOf(place),
  content_index: place.part ?? 0,
  text,
})
const partDone = (text: string, place: Place): JsonObject => ({
  type: 'response.content_part.done',
  ...refOf(place),
  content_index: place.part ?? 0,
  part: part(text),
})
const message = (texts: readonly string[], id?: string): JsonObject => ({
  ...(id === undefined ? {} : { id }),
  type: 'message',
  role: 'assistant',
  content: texts.map(part),
})
const reasoning = (text: string, id?: string): JsonObject => ({
  ...(id === undefined ? {} : { id }),
  type: 'reasoning',
  summary: [],
  content: [{ type: 'reasoning_text', text }],
})
const call = (id: string, callId: string): JsonObject => ({
  id,
  type: 'function_call',
  call_id: callId,
  name: 'f',
  arguments: '{"a":1}',
})
const itemAdded = (item: JsonObject, at: number): JsonObject => ({
  type: 'response.output_item.added',
  output_index: at,
  item,
})
const itemDone = (item: JsonObject, at: number | undefined): JsonObject => ({
  type: 'response.output_item.done',
  ...(at === undefined ? {} : { output_index: at }),
  item,
})
const completed = (...output: JsonObject[]): JsonObject => ({
  type: 'response.completed',
  response: { ...plain, output },
})

const rows: readonly (readonly [string, readonly JsonObject[], readonly string[]])[] = [
  [
    'pieces at content_index 1, and a finished item with one part',
    [
      delta('Hel', { at: 0, id: 'm', part: 1 }),
      delta('lo', { at: 0, id: 'm', part: 1 }),
      textDone('Hello', { at: 0, id: 'm', part: 1 }),
      partDone('Hello', { at: 0, id: 'm', part: 1 }),
      itemDone(message(['Hello'], 'm'), 0),
      completed(message(['Hello'], 'm')),
    ],
    ['text Hello'],
  ],
  [
    'the same without the end of the part, and with a lost piece',
    [
      delta('Hel', { at: 0, id: 'm', part: 1 }),
      itemDone(message(['Hello'], 'm'), 0),
      completed(message(['Hello'], 'm')),
    ],
    ['text Hello'],
  ],
  [
    'the end of the part has the index 0, its pieces have 1',
    [
      delta('Hello', { at: 0, id: 'm', part: 1 }),
      partDone('Hello', { at: 0, id: 'm', part: 0 }),
      itemDone(message(['Hello'], 'm'), 0),
    ],
    ['text Hello'],
  ],
  [
    'pieces at content_index 1 and 2, and two parts',
    [
      delta('One', { at: 0, id: 'm', part: 1 }),
      delta('Two', { at: 0, id: 'm', part: 2 }),
      itemDone(message(['One', 'Two'], 'm'), 0),
      completed(message(['One', 'Two'], 'm')),
    ],
    ['text One', 'text Two'],
  ],
  [
    'two parts with the same text are two parts',
    [
      partDone('ok', { at: 0, id: 'm', part: 0 }),
      partDone('ok', { at: 0, id: 'm', part: 1 }),
      itemDone(message(['ok', 'ok'], 'm'), 0),
    ],
    ['text ok', 'text ok'],
  ],
  [
    'a part without pieces, after one with pieces, that begins with the same text',
    [delta('Hello', { at: 0, id: 'm' }), itemDone(message(['Hello', 'Hello world'], 'm'), 0)],
    ['text Hello', 'text Hello world'],
  ],
  [
    'pieces that differ from the whole text are not repeated',
    [
      delta('Hello  world', { at: 0, id: 'm', part: 1 }),
      itemDone(message(['Hello world'], 'm'), 0),
    ],
    ['text Hello  world'],
  ],
  [
    'repeated end events',
    [
      delta('Hello', { at: 0, id: 'm' }),
      partDone('Hello', { at: 0, id: 'm' }),
      partDone('Hello', { at: 0, id: 'm' }),
      itemDone(message(['Hello'], 'm'), 0),
      itemDone(message(['Hello'], 'm'), 0),
      itemDone(message(['Hello'], 'm'), 1),
      completed(message(['Hello'], 'm')),
    ],
    ['text Hello'],
  ],
  [
    'the end of an item at another output_index than its pieces',
    [
      delta('Hello', { at: 1, id: 'm' }),
      itemDone(message(['Hello'], 'm'), 0),
      completed(message(['Hello'], 'm')),
    ],
    ['text Hello'],
  ],
  [
    'reasoning that the final response leaves out',
    [
      thought('Hm', { at: 0, id: 'r' }),
      itemDone(reasoning('Hm', 'r'), 0),
      delta('Hello', { at: 1, id: 'm' }),
      completed(message(['Hello'], 'm')),
    ],
    ['reasoning Hm', 'text Hello'],
  ],
  [
    'the same without ids',
    [
      thought('Hm', { at: 0 }),
      itemDone(reasoning('Hm'), 0),
      delta('Hello', { at: 1 }),
      itemDone(message(['Hello']), 1),
      completed(message(['Hello'])),
    ],
    ['reasoning Hm', 'text Hello'],
  ],
  [
    'an item that only the final response has, at the index of another',
    [thought('Hm', { at: 0 }), itemDone(reasoning('Hm'), 0), completed(message(['Hello']))],
    ['reasoning Hm', 'text Hello'],
  ],
  [
    'a new id in every event',
    [
      itemAdded(message([], 'a'), 0),
      delta('Hel', { at: 0, id: 'b' }),
      delta('lo', { at: 0, id: 'c' }),
      itemDone(message(['Hello'], 'd'), 0),
      completed(message(['Hello'], 'e')),
    ],
    ['text Hello'],
  ],
  [
    'one id for all items',
    [
      delta('One', { at: 0, id: 'x' }),
      itemDone(message(['One'], 'x'), 0),
      delta('Two', { at: 1, id: 'x' }),
      itemDone(message(['Two'], 'x'), 1),
      completed(message(['One'], 'x'), message(['Two'], 'x')),
    ],
    ['text One', 'text Two'],
  ],
  [
    'a call at another index in the final response',
    [
      thought('Hm', { at: 0, id: 'r' }),
      itemDone(reasoning('Hm', 'r'), 0),
      itemDone(call('fc_1', 'c'), 1),
      completed(call('fc_2', 'c')),
    ],
    ['reasoning Hm', 'call c {"a":1}'],
  ],
  [
    'an item without pieces, and one that only the final response has',
    [itemDone(message(['One'], 'm'), 0), completed(message(['One'], 'm'), message(['Two'], 'n'))],
    ['text One', 'text Two'],
  ],
  [
    'two messages with the same text, only in the final response',
    [completed(message(['ok']), message(['ok']))],
    ['text ok', 'text ok'],
  ],
]

describe('a responses stream with unusual indexes or repeats', () => {
  test.each(rows)('%s', (_, events, expected) => {
    const withEnd = events.at(-1)?.['type'] === 'response.completed'
    const stream = [created, ...events, ...(withEnd ? [] : [completed()])]
    const reply = foldReply(decodeStream(streamOf(...stream)))
    const told = reply.answers[0]?.parts.map(({ part: each }) => {
      if (each.type === 'tool-call') return `call ${each.id} ${each.argumentsText}`
      return each.type === 'text' || each.type === 'reasoning' ? `${each.type} ${each.text}` : ''
    })
    expect(told).toEqual([...expected])
  })
})
