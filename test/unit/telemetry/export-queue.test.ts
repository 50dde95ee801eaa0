import { describe, expect, test } from 'bun:test'
import { ExportQueue, type PostOutcome } from '../../../src/telemetry/otlp/export-queue.ts'
import { eventually } from '../../support/eventually.ts'

const busy: PostOutcome = { kind: 'later', why: 'busy' }
const taken: PostOutcome = { kind: 'taken' }

/** A queue of numbers, whose collector gives the scripted answers and then accepts everything. */
function openQueue(script: readonly (PostOutcome | Promise<PostOutcome>)[], itemsMax = 10) {
  const bodies: string[] = []
  const counts = { sent: 0, dropped: 0 }
  const left = [...script]
  const queue = new ExportQueue<number>({
    itemsMax,
    batchMax: 4,
    delayMs: 0,
    triesMax: 3,
    retryMs: () => 0,
    write: (items) => items.join(),
    post: async (body) => {
      bodies.push(body)
      return (await left.shift()) ?? taken
    },
    onSent: (count) => {
      counts.sent += count
    },
    onDropped: (count) => {
      counts.dropped += count
    },
  })
  const add = (count: number) => {
    for (let item = 1; item <= count; item += 1) queue.add(item)
  }
  const settled = (count: number) =>
    eventually('every item is sent or dropped', () => counts.sent + counts.dropped === count)
  return { queue, add, settled, bodies, counts }
}

describe('the queue for a collector', () => {
  test('sends in batches, in order', async () => {
    const { add, settled, bodies, counts } = openQueue([])
    add(6)
    await settled(6)
    expect(bodies).toEqual(['1,2,3,4', '5,6'])
    expect(counts).toEqual({ sent: 6, dropped: 0 })
  })

  test('sends a batch again while the collector is busy, but not for ever', async () => {
    const { add, settled, bodies, counts } = openQueue([busy, busy, busy, busy])
    add(6)
    await settled(6)
    expect(bodies).toEqual(['1,2,3,4', '1,2,3,4', '1,2,3,4', '5,6', '5,6'])
    expect(counts).toEqual({ sent: 2, dropped: 4 })
  })

  test('does not repeat a batch that the collector refuses', async () => {
    const { add, settled, bodies, counts } = openQueue([{ kind: 'refused', why: 'no' }])
    add(2)
    await settled(2)
    expect(bodies).toEqual(['1,2'])
    expect(counts).toEqual({ sent: 0, dropped: 2 })
  })

  test('keeps a limited number of items while a collector does not answer, and counts the rest', async () => {
    const answer = Promise.withResolvers<PostOutcome>()
    const { queue, add, settled, bodies, counts } = openQueue([answer.promise])
    add(1)
    await eventually('the first request', () => bodies.length === 1)
    add(1_000)
    expect(queue.length).toBe(10)
    expect(counts.dropped).toBe(990)
    answer.resolve(taken)
    await settled(1_001)
    expect(counts.sent).toBe(11)
  })

  test('at its end sends the rest once, including batches that wait for a retry', async () => {
    const slow = openQueue([{ ...busy, waitMs: 30_000 }, busy])
    slow.add(6)
    await eventually('the first attempt', () => slow.bodies.length === 1)
    await slow.queue.end(10_000)
    expect(slow.bodies).toEqual(['1,2,3,4', '1,2,3,4', '5,6'])
    expect(slow.counts).toEqual({ sent: 2, dropped: 4 })
    slow.queue.add(7)
    expect(slow.counts.dropped).toBe(5)
  })

  test('at its end waits no longer than its limit', async () => {
    const { queue, add, counts } = openQueue([Promise.withResolvers<PostOutcome>().promise])
    add(6)
    await queue.end(1)
    expect(counts).toEqual({ sent: 0, dropped: 2 })
  })
})
