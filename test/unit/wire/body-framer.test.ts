import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { BadReplyBody, type BodyFramer, bodyFramerFor } from '../../../src/wire/body-framer.ts'

const encoder = new TextEncoder()

/** The framer's output for bytes that arrive in these pieces, and the number of remaining bytes. */
function read(framer: BodyFramer, pieces: readonly Uint8Array[]): { body: Buffer; left: number } {
  const body: Uint8Array[] = []
  let left = 0
  for (const piece of pieces) left += piece.length - framer.push(piece, (part) => body.push(part))
  return { body: Buffer.concat(body), left }
}

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length]
  at.sort((left, right) => left - right)
  return at.slice(1).map((to, index) => bytes.subarray(at[index] ?? 0, to))
}

const extension = fc.constantFrom('', ';a=b', ' ; a="b;c"', ';x')
const ending = fc.constantFrom('\r\n', '\n')
const chunk = fc.record({ data: fc.uint8Array({ minLength: 1, maxLength: 40 }), extension, ending })

function encode(
  chunks: readonly { data: Uint8Array; extension: string; ending: string }[],
): Buffer {
  return Buffer.concat(
    chunks.flatMap(({ data, extension: words, ending: end }) => [
      encoder.encode(`${data.length.toString(16)}${words}${end}`),
      data,
      encoder.encode(end),
    ]),
  )
}

describe('a chunked body', () => {
  test('is the same however it is cut, and ends where its trailer does', () => {
    fc.assert(
      fc.property(
        fc.array(chunk, { maxLength: 8 }),
        fc.constantFrom('0\r\n\r\n', '0\r\nx: y\r\n\r\n', '00;q\n\n'),
        fc.array(fc.nat(), { maxLength: 30 }),
        (chunks, end, places) => {
          const next = 'HTTP/1.1 200 OK'
          const bytes = Buffer.concat([encode(chunks), encoder.encode(end + next)])
          const framer = bodyFramerFor({ kind: 'chunked' })
          const { body, left } = read(framer, cut(bytes, places))
          expect(body.equals(Buffer.concat(chunks.map(({ data }) => data)))).toBe(true)
          expect(left).toBe(next.length)
          expect(framer.isComplete).toBe(true)
        },
      ),
    )
  })

  test.each([
    'x\r\n',
    '\r\n',
    '-1\r\n',
    '3\r\nabcd\r\n',
    '99999999999999\r\n',
    `1${';'.repeat(9_000)}`,
    `0\r\n${'a: b\r\n'.repeat(200)}`,
  ])('that begins with %j is refused', (text) => {
    const framer = bodyFramerFor({ kind: 'chunked' })
    expect(() => read(framer, [encoder.encode(text)])).toThrow(BadReplyBody)
  })

  test('that is not at its end is not complete', () => {
    for (const text of ['', '3', '3\r\nab', '3\r\nabc', '3\r\nabc\r\n0\r\n']) {
      const framer = bodyFramerFor({ kind: 'chunked' })
      read(framer, [encoder.encode(text)])
      expect([text, framer.isComplete]).toEqual([text, false])
    }
  })
})

test('a body with a length consumes exactly that many bytes', () => {
  const framer = bodyFramerFor({ kind: 'length', bytes: 5 })
  const { body, left } = read(framer, [encoder.encode('ab'), encoder.encode('cdefg')])
  expect([body.toString(), left, framer.isComplete]).toEqual(['abcde', 2, true])
})

test('a body without a length is never complete by itself', () => {
  const framer = bodyFramerFor({ kind: 'until-close' })
  expect(read(framer, [encoder.encode('abc')]).body.toString()).toBe('abc')
  expect([framer.isComplete, framer.endsWithConnection]).toEqual([false, true])
})
