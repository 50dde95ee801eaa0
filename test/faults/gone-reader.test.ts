import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { limits } from '../../src/gateway/limits.ts'
import { eventually } from '../support/eventually.ts'
import { openSocket } from '../support/gateway/send-raw.ts'
import { readStream } from '../support/gateway/stream-reader.ts'
import { expectOrder } from '../support/gateway/with-gateway.ts'
import { chunk, lastChunk, openHead, streamType } from './answer-bytes.ts'
import { type Cell, cellsOf } from './cell.ts'
import { either, good, type Turn } from './fault.ts'
import { type FaultyFixture, startFaultyFixture } from './faulty-fixture.ts'
import { requestBytes } from './request-bytes.ts'
import { whenClosed } from './when-closed.ts'

/*
 * The client of a stream disconnects, once at each event: the gateway closes the upstream request and charges what was
 * delivered, once.
 */

const wordCount = 20
const words = Array.from({ length: wordCount }, (_, index) => `word${index + 1}w `)

let fixture: FaultyFixture
let passed = 0
beforeAll(async () => {
  fixture = await startFaultyFixture()
})
afterAll(async () => {
  await fixture.stop()
  process.stdout.write(`FIGURES: readers gone: ${passed} / ${16 * (wordCount + 1)} passed\n`)
})

/** The events up to and including word number `count`; after the last word, all remaining events. */
function eventsUpTo({ to }: Turn, count: number): readonly string[] {
  const events = to.upstream.events({ pieces: words })
  if (count === 0) return []
  const at = events.findIndex((event) => event.includes(`word${count}w`))
  return events.slice(0, at + 1)
}

/**
 * Upstreams that send this many words and then wait. Each promise resolves when the connection of its upstream ends.
 */
function playUpTo(count: number): {
  cells: readonly Cell[]
  closed: Map<string, Promise<void>>
} {
  const closed = new Map<string, Promise<void>>()
  const telling = either(`${count} words`, good(), (turn) => {
    const { socket, model } = turn
    closed.set(model, whenClosed(socket))
    socket.write(openHead(streamType))
    for (const event of eventsUpTo(turn, count)) socket.write(chunk(event))
  })
  const cells = cellsOf(telling).filter((cell) => cell.isStream && !cell.isBacked)
  fixture.play(cells)
  return { cells, closed }
}

/** The estimate of hidden reasoning: none on an idle machine, where the first word comes within two seconds. */
function hiddenTokensIn(silentMs: number): number {
  return Math.ceil((Math.max(0, silentMs - 2_000) / 1_000) * limits.hiddenTokensPerSecond)
}

async function entriesSince(ids: ReadonlySet<string>) {
  const all = await fixture.gateway.engine.db.selectFrom('entry').selectAll().execute()
  return all.filter((entry) => !ids.has(entry.request_id))
}

describe('a client disconnects', () => {
  const counts = Array.from({ length: wordCount + 1 }, (_, index) => index)
  test.each(counts)('after %d words', async (count) => {
    const { gateway } = fixture
    const before = new Set((await entriesSince(new Set())).map((entry) => entry.request_id))
    const { cells, closed } = playUpTo(count)
    const sentMs = performance.now()
    await Promise.all(
      cells.map(async (cell) => {
        if (count === 0) {
          const socket = await openSocket(gateway.url)
          socket.write(requestBytes(cell, gateway.keys.any))
          await eventually('the upstream is asked', () => closed.has(cell.model))
          socket.destroy()
        } else {
          const leaving = new AbortController()
          const response = await gateway.open({
            key: 'any',
            path: cell.from.client.path(cell.model, true),
            body: cell.from.client.body(cell.model, true),
            signal: leaving.signal,
          })
          await readStream(response).readUntil(`word${count}w`)
          leaving.abort()
        }
      }),
    )
    const silentMsMax = performance.now() - sentMs
    // The upstream sends nothing more, and the gateway does not wait for ever.
    const { node, clock } = gateway
    await eventually('all are noticed', () => node.disconnectedReads() === node.ledger.openHolds)
    clock.passTime(1_000)
    await eventually(
      'connections to upstreams that stop billing are closed',
      () => node.disconnectedReads() === cells.length / 2,
    )
    clock.passTime(31_000)
    await Promise.all(closed.values())
    await expectOrder(gateway)
    const entries = await entriesSince(before)
    expect(new Set(entries.map((entry) => entry.request_id)).size).toBe(cells.length)
    expect(entries).toHaveLength(cells.length)
    // Before the first word the model may have reasoned, up to the limit of the request and the elapsed time.
    const hiddenMax = count === 0 ? 1_000 : hiddenTokensIn(silentMsMax)
    for (const entry of entries) {
      const said = entry.output_tokens - entry.reasoning_tokens
      // Each of these words has two or three tokens with any tokenizer.
      expect(said).toBeGreaterThanOrEqual(count)
      expect(said).toBeLessThanOrEqual(count * 5)
      expect(entry.reasoning_tokens).toBeLessThanOrEqual(hiddenMax)
      expect(await gateway.money.usageRow(entry.request_id)).toMatchObject({
        status: 499,
        reason: 'client_gone',
        cost_nano: entry.cost_nano,
      })
      passed += 1
    }
  })
})

describe('a client that reads one byte at a time', () => {
  test('gets the whole response and pays the reported usage', async () => {
    const { gateway } = fixture
    const before = new Set((await entriesSince(new Set())).map((entry) => entry.request_id))
    const telling = either('all', good(), (turn) => {
      const { socket, to } = turn
      socket.write(openHead(streamType))
      for (const event of to.upstream.events({ pieces: words })) socket.write(chunk(event))
      socket.write(lastChunk)
    })
    const cells = cellsOf(telling).filter((cell) => cell.isStream && !cell.isBacked)
    fixture.play(cells)
    await Promise.all(
      cells.map(async (cell) => {
        const socket = await openSocket(gateway.url)
        socket.pause()
        socket.write(requestBytes(cell, gateway.keys.any))
        let text = ''
        while (!text.includes('\r\n0\r\n\r\n')) {
          const bytes: Buffer | null = socket.read(1)
          if (bytes) text += bytes.toString('latin1')
          else await once(socket, 'readable')
        }
        expect(text).toContain('HTTP/1.1 200')
        expect(text).toContain(`word${wordCount}w`)
        socket.destroy()
      }),
    )
    await expectOrder(gateway)
    const entries = await entriesSince(before)
    expect(entries.map((entry) => entry.cost_nano)).toEqual(cells.map(() => 4_000_000n))
  })
})
