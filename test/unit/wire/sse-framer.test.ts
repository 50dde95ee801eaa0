import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  readFields,
  type SseFrame,
  SseFramer,
  SseFrameTooLarge,
} from '../../../src/wire/sse-framer.ts'
import { repeats } from '../../support/repeats.ts'

const encoder = new TextEncoder()
const limit = 4_000_000

/** Feeds the bytes in pieces of these lengths, repeated. */
function frame(bytes: Uint8Array, lengths: readonly number[]) {
  const framer = new SseFramer(limit)
  const frames = []
  let at = 0
  for (let turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? bytes.length
    frames.push(...framer.push(bytes.slice(at, at + length)))
    at += length
  }
  return { frames, rest: framer.rest(), unfinishedBytes: framer.unfinishedBytes }
}

function frameText(text: string, lengths: readonly number[] = [text.length + 9]) {
  return frame(encoder.encode(text), lengths)
}

function dataOf(text: string, lengths?: readonly number[]): (string | undefined)[] {
  return frameText(text, lengths).frames.map((each) => each.data)
}

const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
const value = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .map((text) => text.replace(/[\r\n]/g, ''))
const line = fc.oneof(
  value.map((text) => `data: ${text}`),
  value.map((text) => `data:${text}`),
  value.map((text) => `: ${text}`),
  fc.constantFrom('event: message', 'id: 7', 'retry: 10', 'data', 'unknown: x', '😀'),
)
const event = fc
  .tuple(fc.array(fc.tuple(line, lineEnd), { maxLength: 4 }), lineEnd)
  .map(([lines, end]) =>
    [...lines, ['', end] as const].map(([text, close]) => text + close).join(''),
  )
const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 })

/**
 * A CR at the end of one event and an LF at the start of the next would be one line end, so the generator avoids this.
 */
const stream = fc.array(event, { maxLength: 6 }).map((events) =>
  events
    .join('')
    .replace(/\r\n/g, '\u0001')
    .replace(/\r(?=\n)/g, '')
    .replaceAll('\u0001', '\r\n'),
)

/** The events of a whole text by the rules of the standard: lines first, then blank lines end events. */
function slowEvents(text: string): { data: string | undefined; event: string | undefined }[] {
  const ended = text.split(/\r\n|\n|\r/).slice(0, -1)
  const events: { data: string | undefined; event: string | undefined }[] = []
  let data: string | undefined
  let name: string | undefined
  for (const each of ended) {
    if (each === '') {
      events.push({ data, event: name })
      data = undefined
      name = undefined
      continue
    }
    const [, field = '', content = ''] = /^([^:]*):? ?(.*)$/su.exec(each) ?? []
    if (each.startsWith(':')) continue
    if (field === 'data') data = data === undefined ? content : `${data}\n${content}`
    if (field === 'event') name = content
  }
  return events
}

/** A partial CRLF of a blank line may still be completed, so the event waits for it. */
function withoutHalf(text: string, rest: Uint8Array): string {
  return Buffer.from(rest).toString().endsWith('\r\n\r') ? text.slice(0, -1) : text
}

/** A blank line without an event has no meaning. */
function saysSomething({
  data,
  event,
}: {
  data: string | undefined
  event: string | undefined
}): boolean {
  return data !== undefined || event !== undefined
}

describe('SSE framer', () => {
  test('for any cuts: the same events, and every byte is in a frame or in the rest', () => {
    fc.assert(
      fc.property(stream, value, cuts, (text, tail, lengths) => {
        const bytes = encoder.encode(text + tail)
        const { frames, rest, unfinishedBytes } = frame(bytes, lengths)
        expect(Buffer.concat([...frames.map((each) => each.bytes), rest])).toEqual(
          Buffer.from(bytes),
        )
        expect(unfinishedBytes).toBe(rest.length)
        const expected = slowEvents(withoutHalf(text, rest))
        expect(frames.map(({ data, event }) => ({ data, event }))).toEqual(expected)
      }),
      { numRuns: repeats(400) },
    )
  })

  test('a blank line that is cut inside its CRLF is sent whole, with its event', () => {
    const texts = ['data: 1\r\n\r\n', 'data: 2\r\n\r\n']
    const framer = new SseFramer(limit)
    const pieces = ['data: 1\r\n\r', '\ndata: 2\r\n\r', '\n']
    const frames = pieces.map((piece) => framer.push(encoder.encode(piece)))
    expect(frames.map((each) => each.length)).toEqual([0, 1, 1])
    expect(frames.flat().map(({ bytes }) => new TextDecoder().decode(bytes))).toEqual(texts)
    expect(framer.unfinishedBytes).toBe(0)
  })

  test('an event that ends in CR alone does not wait', () => {
    const framer = new SseFramer(limit)
    expect(framer.push(encoder.encode('data: 1\r\r'))).toMatchObject([{ data: '1' }])
  })

  test('the same with a byte order mark and a line of a megabyte', () => {
    const sizes = fc.array(
      fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 999, max: 99_999 })),
      {
        minLength: 2,
        maxLength: 6,
      },
    )
    const mark = fc.constantFrom('', '\ufeff')
    // A CR before it and an LF after it would be one line end, so comments separate the large event.
    const large = fc
      .tuple(fc.constantFrom('x', '漢', '{"a":"\\n"} '), lineEnd, fc.integer({ min: 0, max: 3 }))
      .map(([unit, end, lines]) => {
        const filled = unit.repeat(Math.ceil(1_048_576 / unit.length))
        return `: before${end}data: ${filled}${end}${`data: more${end}`.repeat(lines)}${end}: after${end}`
      })
    fc.assert(
      fc.property(mark, stream, large, stream, sizes, (begin, before, middle, after, lengths) => {
        const text = `${before}${middle}${after}`
        const bytes = encoder.encode(begin + text)
        const { frames, rest } = frame(bytes, lengths)
        const together = Buffer.concat([...frames.map((each) => each.bytes), rest])
        expect(together.equals(Buffer.from(bytes))).toBe(true)
        const said = frames.map(({ data, event }) => ({ data, event })).filter(saysSomething)
        const expected = slowEvents(withoutHalf(text, rest)).filter(saysSomething)
        expect(said.length).toBe(expected.length)
        expect(said.every((each, index) => each.data === expected[index]?.data)).toBe(true)
        expect(said.every((each, index) => each.event === expected[index]?.event)).toBe(true)
      }),
      { numRuns: repeats(12) },
    )
  })

  test('in turns, with long events in pieces, the stream is the same', () => {
    const longBytes = 24
    const framesMax = fc.integer({ min: 1, max: 3 })
    fc.assert(
      fc.property(stream, cuts, framesMax, (text, lengths, most) => {
        const bytes = encoder.encode(text)
        const framer = new SseFramer(limit, longBytes)
        const frames: SseFrame[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const length = lengths[turn % lengths.length] ?? 1
          let piece: Uint8Array | undefined = bytes.slice(at, at + length)
          for (; piece; piece = framer.unread) {
            const found = framer.push(piece, most)
            expect(found.length).toBeLessThanOrEqual(most)
            frames.push(...found)
          }
          at += length
        }
        const whole = frames.map(({ before = [], bytes: last }) => Buffer.concat([...before, last]))
        const expected = frame(bytes, [bytes.length + 9]).frames
        const sent = Buffer.concat(expected.map((each) => each.bytes)).toString()
        // The LF of a CRLF may belong to the event before or after it.
        expect(Buffer.concat(whole).toString().trimEnd()).toBe(sent.trimEnd())
        expect(frames.length).toBe(expected.length)
        for (const [index, { isLong = false, data }] of frames.entries()) {
          const length = whole[index]?.length ?? 0
          // The LF of a CRLF arrives when the length of the event is already known.
          if (length !== longBytes + 1) expect(isLong).toBe(length > longBytes)
          if (!isLong) expect(data).toBe(expected[index]?.data)
        }
      }),
      { numRuns: repeats(400) },
    )
  })

  test('an event that is too large is refused also in pieces', () => {
    const framer = new SseFramer(10_000, 500)
    const feed = () => {
      for (let count = 0; count < 100; count += 1) framer.push(encoder.encode('x'.repeat(300)))
    }
    expect(feed).toThrow(SseFrameTooLarge)
    expect(framer.unfinishedBytes).toBeLessThanOrEqual(10_300)
  })

  test('returned frames do not change when more arrives', () => {
    fc.assert(
      fc.property(stream, cuts, (text, lengths) => {
        const framer = new SseFramer(limit)
        const bytes = encoder.encode(text)
        const kept: [Uint8Array, string][] = []
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const length = lengths[turn % lengths.length] ?? 1
          for (const each of framer.push(bytes.slice(at, at + length)))
            kept.push([each.bytes, Buffer.from(each.bytes).toString()])
          at += length
        }
        for (const [view, copy] of kept) expect(Buffer.from(view).toString()).toBe(copy)
      }),
    )
  })

  const rows: [string, string, (string | undefined)[]][] = [
    ['one event', 'data: a\n\n', ['a']],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    [
      'mixed line endings',
      'data: a\n\r\ndata: b\r\n\ndata: c\r\n\rdata: d\n\r',
      ['a', 'b', 'c', 'd'],
    ],
    ['several data lines', 'data: a\ndata: b\ndata:\ndata\n\n', ['a\nb\n\n']],
    ['one space is removed', 'data:  a \n\n', [' a ']],
    ['no space', 'data:a\n\n', ['a']],
    ['a comment', ': keep-alive\n\n', [undefined]],
    ['a comment before data', ': hi\ndata: a\n\n', ['a']],
    ['only other fields', 'event: x\nid: 1\nretry: 5\n\n', [undefined]],
    ['only blank lines', '\n\n', [undefined, undefined]],
    ['a byte order mark at the start', '\ufeffdata: a\n\n', ['a']],
    [
      'a byte order mark elsewhere is part of a name',
      'data: a\n\n\ufeffdata: b\n\n',
      ['a', undefined],
    ],
    ['field names must match exactly', 'Data: a\ndata : b\n data: c\n\n', [undefined]],
    ['a colon in the value', 'data: {"a":"b: c"}\n\n', ['{"a":"b: c"}']],
    ['an unfinished event', 'data: a\n\ndata: b\n', ['a']],
  ]
  test.each(rows)('%s, whole and byte by byte', (_, text, expected) => {
    expect(dataOf(text)).toEqual(expected)
    expect(dataOf(text, [1])).toEqual(expected)
  })

  test('the event field', () => {
    expect(readFields('event: delta\ndata: a\n\n')).toEqual({ event: 'delta', data: 'a' })
    expect(readFields('data: a\nevent:x\n\n')).toEqual({ event: 'x', data: 'a' })
  })

  test('a character that was cut is restored', () => {
    expect(dataOf('data: 😀漢é\n\n', [1])).toEqual(['😀漢é'])
  })

  test('the LF of a CRLF that was cut goes before the next event and is not an event itself', () => {
    const framer = new SseFramer(limit)
    const first = framer.push(encoder.encode('data: a\r\n\r'))
    const second = framer.push(encoder.encode('\ndata: b\r\n\r\n'))
    expect([...first, ...second].map((each) => each.data)).toEqual(['a', 'b'])
    expect(Buffer.concat([...first, ...second].map((each) => each.bytes)).toString()).toBe(
      'data: a\r\n\r\ndata: b\r\n\r\n',
    )
  })

  test('a line of a megabyte, in small and in large pieces', () => {
    const text = `data: ${'x'.repeat(1_048_576)}\n\n`
    for (const length of [777, 65_536, text.length]) {
      const { frames } = frameText(text, [length])
      expect(frames).toHaveLength(1)
      expect(frames[0]?.data).toHaveLength(1_048_576)
    }
  })

  test('an endless line is refused, and not buffered for ever', () => {
    const framer = new SseFramer(10_000)
    const piece = encoder.encode('x'.repeat(1_000))
    const feed = () => {
      for (let count = 0; count < 100; count += 1) framer.push(piece)
    }
    expect(feed).toThrow(SseFrameTooLarge)
    expect(framer.unfinishedBytes).toBeLessThanOrEqual(11_000)
  })

  test('many events that exceed the limit only together are accepted', () => {
    const framer = new SseFramer(20)
    let count = 0
    for (let turn = 0; turn < 100; turn += 1)
      count += framer.push(encoder.encode('data: abc\n\ndata: ')).length
    expect(count).toBe(100)
  })

  test('an empty piece changes nothing', () => {
    const framer = new SseFramer(limit)
    const nothing = new Uint8Array(0)
    expect(framer.push(nothing)).toEqual([])
    framer.push(encoder.encode('data: a'))
    framer.push(nothing)
    expect(framer.push(encoder.encode('\n\n')).map((each) => each.data)).toEqual(['a'])
  })
})
