import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { eventually } from '../support/eventually.ts'
import { openSocket } from '../support/gateway/send-raw.ts'
import { expectOrder } from '../support/gateway/with-gateway.ts'
import { allProtocols } from '../support/protocols/test-protocols.ts'
import { chunk, lastChunk, openHead, streamType, wholeType } from './answer-bytes.ts'
import { type Cell, cellsOf } from './cell.ts'
import { either, good, type Place, type Turn } from './fault.ts'
import { type FaultyFixture, startFaultyFixture } from './faulty-fixture.ts'
import { requestBytes } from './request-bytes.ts'

/*
 * Disconnecting is never cheaper than staying for the same text. The client of every pair of protocols disconnects at
 * every event of a stream, and at every stage of a reply that is not streamed. If the vendor bills to the end, the
 * gateway reads the rest, and the charge equals that of staying. If no usage arrives, the charge is an estimate within
 * the hold.
 */

const said = { pieces: ['Hello ', 'there'] }
/**
 * The charge of a client that stays: 600 tokens of new and 400 of cached input, 200 of output, 50 of them hidden
 * reasoning.
 */
const stayingNano = 4_000_000n
/** More than the hold of any of these requests: 1,000 tokens of output, and the body's bytes as input. */
const holdNano = 14_000_000n

let fixture: FaultyFixture
let left = 0
beforeAll(async () => {
  fixture = await startFaultyFixture()
})
afterAll(async () => {
  await fixture.stop()
  process.stdout.write(`FIGURES: callers that left early: ${left} charged as they must be\n`)
})

/** An answer in the pieces in which it is sent. A client can disconnect before and after each piece. */
function piecesOf({ to, isStream }: Pick<Turn, 'to' | 'isStream'>): readonly (string | Buffer)[] {
  if (isStream) return [openHead(streamType), ...to.upstream.events(said).map(chunk), lastChunk]
  const body = JSON.stringify(to.upstream.reply(said))
  const half = Math.floor(body.length / 2)
  return [openHead(wholeType), chunk(body.slice(0, half)), chunk(body.slice(half)), lastChunk]
}

/** The last word of a stream after this many pieces. */
function lastWord({ to, isStream }: Cell, pieceCount: number): string | undefined {
  if (!isStream) return undefined
  const events = to.upstream.events(said).slice(0, Math.max(0, pieceCount - 1))
  return said.pieces.findLast((piece) => events.some((event) => event.includes(`"${piece}"`)))
}

interface Scene {
  readonly cells: readonly Cell[]
  readonly sockets: ReadonlyMap<string, Socket>
  /** Lets the upstreams send the rest of their answers. */
  release(): void
}

/** All clients send a request, read the first pieces and disconnect; returns when the gateway has noticed it. */
async function leaveAfter(
  pieceCount: number,
  place: Place,
  choose: (cell: Cell) => boolean,
): Promise<Scene> {
  const { gateway } = fixture
  const gate = Promise.withResolvers<void>()
  const upstreams = new Map<string, Socket>()
  const telling = either(
    `left after ${pieceCount}`,
    good(),
    (turn) => {
      upstreams.set(turn.model, turn.socket)
      const pieces = piecesOf(turn)
      for (const piece of pieces.slice(0, pieceCount)) turn.socket.write(piece)
      void gate.promise.then(() => {
        for (const piece of pieces.slice(pieceCount)) turn.socket.write(piece)
      })
    },
    place,
  )
  const cells = cellsOf(telling).filter(
    (cell) => !cell.isBacked && choose(cell) && pieceCount < piecesOf(cell).length - 1,
  )
  fixture.play(cells)
  await Promise.all(cells.map((cell) => askAndLeave(cell, pieceCount, upstreams)))
  const { node } = gateway
  await eventually('all are noticed', () => node.disconnectedReads() === node.ledger.openHolds)
  return { cells, sockets: upstreams, release: gate.resolve }
}

async function askAndLeave(cell: Cell, pieceCount: number, upstreams: ReadonlyMap<string, Socket>) {
  const { url, keys } = fixture.gateway
  const socket = await openSocket(url)
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes.toString()
  })
  socket.write(requestBytes(cell, keys.any))
  await eventually('the upstream is asked', () => upstreams.has(cell.model))
  const word = lastWord(cell, pieceCount)
  if (word !== undefined) await eventually(`${cell.model} says ${word}`, () => text.includes(word))
  socket.destroy()
}

async function entriesAfter(ids: ReadonlySet<string>) {
  const all = await fixture.gateway.engine.db.selectFrom('entry').selectAll().execute()
  return all.filter((entry) => !ids.has(entry.request_id))
}

async function knownIds(): Promise<ReadonlySet<string>> {
  return new Set((await entriesAfter(new Set())).map((entry) => entry.request_id))
}

/** Exactly one settlement for each request, in order. The rows record the disconnect. */
async function settledSince(ids: ReadonlySet<string>, cells: readonly Cell[]) {
  await expectOrder(fixture.gateway)
  const entries = await entriesAfter(ids)
  expect(entries).toHaveLength(cells.length)
  for (const entry of entries) {
    const row = await fixture.gateway.money.usageRow(entry.request_id)
    expect(row).toMatchObject({ status: 499, reason: 'client_gone', cost_nano: entry.cost_nano })
  }
  left += entries.length
  return entries
}

function noneBlamed(cells: readonly Cell[]): void {
  for (const cell of cells) {
    const [target] = fixture.gateway.node.routing.health.viewOf(cell.model).targets
    expect(target?.failuresInRow ?? 0).toBe(0)
  }
}

const streamPieces = Math.max(
  ...allProtocols.map((to) => piecesOf({ to, isStream: true }).length - 1),
)
const cuts = Array.from({ length: streamPieces }, (_, index) => index)

describe('if the vendor bills to the end, disconnecting costs the same as staying', () => {
  test.each(cuts)('a stream, after %d pieces', async (count) => {
    const ids = await knownIds()
    const { cells, release } = await leaveAfter(count, 'billing-on', (cell) => cell.isStream)
    release()
    for (const entry of await settledSince(ids, cells)) {
      expect(entry).toMatchObject({ cost_nano: stayingNano, usage_source: 'upstream', flags: '' })
    }
    noneBlamed(cells)
  })

  test.each([0, 1, 2])('a response that is not streamed, after %d pieces', async (count) => {
    const ids = await knownIds()
    // Every vendor bills a reply that is not streamed to its end.
    const { cells, release } = await leaveAfter(count, 'plain', (cell) => !cell.isStream)
    expect(cells).toHaveLength(16)
    release()
    for (const entry of await settledSince(ids, cells)) {
      expect(entry).toMatchObject({ cost_nano: stayingNano, usage_source: 'upstream', flags: '' })
    }
    noneBlamed(cells)
  })
})

describe('if no usage arrives, the charge is an estimate within the hold', () => {
  test.each(cuts)('a stream, after %d pieces', async (count) => {
    const ids = await knownIds()
    const { cells, sockets } = await leaveAfter(count, 'billing-on', (cell) => cell.isStream)
    fixture.gateway.clock.passTime(31_000)
    for (const entry of await settledSince(ids, cells)) {
      expect(entry.flags === '' || entry.flags === 'estimated').toBe(true)
      expect(entry.input_tokens + entry.cache_read_tokens).toBeGreaterThan(3)
      expect(entry.cost_nano).toBeGreaterThan(0n)
      expect(entry.cost_nano).toBeLessThan(holdNano)
    }
    await eventually('the upstreams are closed', () =>
      cells.every((cell) => sockets.get(cell.model)?.destroyed),
    )
    noneBlamed(cells)
  })

  test('usage that the upstream has already reported is charged in full', async () => {
    const ids = await knownIds()
    const isMessages = (cell: Cell) => cell.isStream && cell.to.name === 'messages'
    const { cells } = await leaveAfter(2, 'billing-on', isMessages)
    fixture.gateway.clock.passTime(31_000)
    for (const entry of await settledSince(ids, cells)) {
      expect(entry).toMatchObject({ input_tokens: 600, cache_read_tokens: 400 })
    }
  })

  test('hidden reasoning is estimated from its duration', async () => {
    const ids = await knownIds()
    const thinks = (cell: Cell) => cell.isStream && cell.to.name === 'responses'
    const { cells } = await leaveAfter(1, 'billing-on', thinks)
    fixture.gateway.clock.passTime(12_000)
    // The first two seconds count as network and queue; the rest is at least 400 tokens.
    fixture.gateway.clock.passTime(19_000)
    for (const entry of await settledSince(ids, cells)) {
      expect(entry.usage_source).toBe('estimated')
      expect(entry.output_tokens).toBeGreaterThan(400)
      expect(entry.reasoning_tokens).toBe(entry.output_tokens)
    }
  })
})

describe('the billing rule of each vendor', () => {
  const stopping = new Set(['openai', 'anthropic'])
  const vendorOf = { responses: 'openai', messages: 'anthropic' } as Record<string, string>
  const stops = (cell: Cell) => stopping.has(vendorOf[cell.to.name] ?? '')

  test('a stream is aborted if that stops the billing, and read to its end otherwise', async () => {
    const ids = await knownIds()
    const { cells, sockets } = await leaveAfter(2, 'plain', (cell) => cell.isStream)
    const aborted = cells.filter(stops)
    const others = cells.filter((cell) => !stops(cell))
    expect({ aborted: aborted.length, others: others.length }).toEqual({ aborted: 8, others: 8 })
    await eventually('those are aborted', () =>
      aborted.every((cell) => sockets.get(cell.model)?.destroyed),
    )
    expect(others.some((cell) => sockets.get(cell.model)?.destroyed)).toBe(false)
    expect(fixture.gateway.node.disconnectedReads()).toBe(others.length)
    fixture.gateway.clock.passTime(31_000)
    await settledSince(ids, cells)
    noneBlamed(cells)
  })

  test('a client that disconnects just before the end pays the same as one that stays', async () => {
    const ids = await knownIds()
    const { gateway } = fixture
    const telling = either('all but the end', good(), (turn) => {
      const pieces = piecesOf(turn)
      const tail = turn.to.upstream.tailLength + 1
      for (const piece of pieces.slice(0, -tail)) turn.socket.write(piece)
      const sendTail = () => {
        if (gateway.node.disconnectedReads() === 0) setImmediate(sendTail)
        else for (const piece of pieces.slice(-tail)) turn.socket.write(piece)
      }
      sendTail()
    })
    const cells = cellsOf(telling).filter((cell) => cell.isStream && !cell.isBacked && stops(cell))
    // For these vendors the gateway waits only half a second for the end, and a busy machine may need longer to read
    // it.
    const goOn = gateway.clock.standStill()
    for (const cell of cells) {
      fixture.play([cell])
      const asked = new Map<string, Socket>()
      asked.has = () => fixture.askedOf(cell.model) > 0
      await askAndLeave(cell, piecesOf(cell).length - 2, asked)
      await eventually('it is settled', () => gateway.node.ledger.openHolds === 0)
    }
    goOn()
    for (const entry of await settledSince(ids, cells)) {
      expect(entry).toMatchObject({ cost_nano: stayingNano, usage_source: 'upstream' })
    }
  })

  test('a stopping process ends these reads and settles each request once', async () => {
    const ids = await knownIds()
    const { cells, sockets } = await leaveAfter(2, 'billing-on', () => true)
    expect(fixture.gateway.node.disconnectedReads()).toBe(cells.length)
    fixture.gateway.node.abortAll()
    await settledSince(ids, cells)
    await eventually('the upstreams are closed', () =>
      cells.every((cell) => sockets.get(cell.model)?.destroyed),
    )
    expect(fixture.gateway.node.disconnectedReads()).toBe(0)
    noneBlamed(cells)
  })
})
