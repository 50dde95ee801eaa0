import { describe, expect, spyOn, test } from 'bun:test'
import { turns } from '../../../src/core/runtime/turns.ts'
import { limits } from '../../../src/gateway/limits.ts'
import { cutPortion } from '../../../src/gateway/reply/cut-portion.ts'
import { LastPieces } from '../../../src/gateway/reply/last-pieces.ts'

const megabyte = 1024 * 1024
const bytes = (length: number, value = 1) => new Uint8Array(length).fill(value)

/** A stream that ends with these pieces, and the number of bytes that it accepted. */
function openEnd(pieces: readonly Uint8Array[]) {
  const last = new LastPieces()
  const given = { bytes: 0, mostAtOnce: 0 }
  const note = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const waiting = -(controller.desiredSize ?? 0)
    given.mostAtOnce = Math.max(given.mostAtOnce, waiting)
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        if (last.isWaiting) await last.resume(controller)
        else last.begin(controller, pieces)
        note(controller)
      },
      cancel: () => last.drop(),
    },
    { highWaterMark: 0, size: (piece) => piece?.length ?? 0 },
  )
  return { stream, last, given }
}

describe('the end of a stream', () => {
  const rows: [string, readonly Uint8Array[], turnsMin: number][] = [
    ['nothing', [], 0],
    ['an empty piece', [bytes(0)], 0],
    ['a short piece', [bytes(3, 1), bytes(4, 2)], 0],
    ['exactly one portion', [bytes(megabyte)], 0],
    ['one long piece', [bytes(10 * megabyte + 1, 3)], 10],
    ['very many pieces', Array.from({ length: 5_000 }, (_, index) => bytes(1_000, index % 7)), 4],
  ]
  test.each(rows)(
    '%s: every byte in order, and no turn writes more than allowed',
    async (_, pieces, turnsMin) => {
      const spy = spyOn(turns, 'next')
      try {
        const { stream, given } = openEnd(pieces)
        const read = Buffer.from(await new Response(stream).arrayBuffer())
        expect(read.equals(Buffer.concat(pieces))).toBe(true)
        expect(given.mostAtOnce).toBeLessThanOrEqual(limits.writtenBytesATurn)
        expect(spy.mock.calls.length).toBe(turnsMin)
      } finally {
        spy.mockRestore()
      }
    },
  )

  test('a client that reads nothing gets nothing more', async () => {
    const { stream, last } = openEnd([bytes(20 * megabyte)])
    const reader = stream.getReader()
    await reader.read()
    expect(last.isWaiting).toBe(true)
    await reader.cancel()
    expect(last.isWaiting).toBe(false)
  })
})

describe('a portion', () => {
  test('no byte is lost, and none is copied', () => {
    const pieces = [bytes(5, 1), bytes(5, 2), bytes(5, 3)]
    for (let room = 1; room <= 16; room += 1) {
      const { now, rest } = cutPortion(pieces, room)
      expect(Buffer.concat([...now, ...rest]).equals(Buffer.concat(pieces))).toBe(true)
      expect(Buffer.concat(now).length).toBe(Math.min(room, 15))
      for (const piece of [...now, ...rest])
        expect(pieces.some(({ buffer }) => buffer === piece.buffer)).toBe(true)
    }
  })
})
