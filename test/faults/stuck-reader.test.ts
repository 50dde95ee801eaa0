import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { eventually } from '../support/eventually.ts'
import { openSocket } from '../support/gateway/send-raw.ts'
import { expectOrder } from '../support/gateway/with-gateway.ts'
import { missingPart } from '../support/missing-part.ts'
import { chunk, openHead, streamType } from './answer-bytes.ts'
import { type Cell, cellsOf } from './cell.ts'
import { either, good, type Turn } from './fault.ts'
import { type FaultyFixture, startFaultyFixture } from './faulty-fixture.ts'
import { isSteady } from './is-steady.ts'
import { hasKernelQueues, queuedBetween } from './kernel-queues.ts'
import { requestBytes } from './request-bytes.ts'
import { whenClosed } from './when-closed.ts'

/*
 * A client that does not read, so that its upstream has to wait. The bytes that the upstream has sent are then in the
 * kernel, on either side, and hardly any are in the gateway.
 */

const bufferedBytesMax = 256 * 1024

interface Pace {
  readonly name: string
  readonly pieceBytes: number
  /** Whether other work gets a turn after each event. */
  readonly isPolite: boolean
}

const paces: readonly Pace[] = [
  { name: 'event by event', pieceBytes: 16 * 1024, isPolite: true },
  { name: 'all at once', pieceBytes: 48 * 1024, isPolite: false },
]

let fixture: FaultyFixture
beforeAll(async () => {
  fixture = await startFaultyFixture()
})
afterAll(() => fixture.stop())

/** An endless upstream stream and its progress. */
interface Flood {
  readonly socket: Socket
  /** The bytes that the kernel has accepted. */
  sentBytes: number
}

function startFlood({ socket, to }: Turn, pace: Pace): Flood {
  const flood: Flood = { socket, sentBytes: 0 }
  const text = 'x'.repeat(pace.pieceBytes)
  const events = to.upstream.events({ pieces: [text] })
  const at = events.findIndex((event) => event.includes(text))
  const send = (bytes: Buffer) =>
    new Promise<void>((resolve) => {
      socket.write(bytes, () => {
        flood.sentBytes += bytes.length
        if (pace.isPolite) setImmediate(resolve)
        else resolve()
      })
    })
  const run = async () => {
    await send(Buffer.from(openHead(streamType)))
    for (const event of events.slice(0, at)) await send(chunk(event))
    const piece = chunk(events[at] ?? '')
    while (!socket.destroyed) await send(piece)
  }
  void run()
  return flood
}

async function openStuck(cell: Cell): Promise<Socket> {
  const { url, keys } = fixture.gateway
  const socket = await openSocket(url)
  socket.pause()
  socket.write(requestBytes(cell, keys.any))
  return socket
}

if (!hasKernelQueues) missingPart('faults: memory per stuck client', 'no /proc/net/tcp')
if (hasKernelQueues) describe('a client that never reads', aboutStuck)

function aboutStuck() {
  test.each(paces)('$name: the bytes that the gateway buffers for it are bounded', async (pace) => {
    const floods = new Map<string, Flood>()
    const flooding = either(pace.name, good(), (turn) => {
      floods.set(turn.model, startFlood(turn, pace))
    })
    const cells = cellsOf(flooding).filter((cell) => cell.isStream && !cell.isBacked)
    fixture.play(cells)
    const before = await fixture.gateway.money.counts()
    const kept = await Promise.all(cells.map((cell) => keptFor(cell, floods, pace)))
    const most = Math.max(...kept)
    const figure = `a stuck reader, sent ${pace.name}: at most ${Math.round(most / 1024)} KiB`
    process.stdout.write(`FIGURES: ${figure} in the gateway\n`)
    await expectOrder(fixture.gateway)
    expect(await fixture.gateway.money.counts()).toEqual({
      entries: before.entries + cells.length,
      rows: before.rows + cells.length,
    })
    expect(most).toBeLessThanOrEqual(bufferedBytesMax)
  })
}

describe('a client that neither reads nor disconnects', () => {
  const [pace] = paces
  test('is disconnected after the idle timeout of the upstream, and no upstream is blamed', async () => {
    if (!pace) throw new Error('there is no pace')
    const { gateway } = fixture
    const floods = new Map<string, Flood>()
    const flooding = either('stuck', good(), (turn) => {
      floods.set(turn.model, startFlood(turn, pace))
    })
    const cells = cellsOf(flooding).filter((cell) => cell.isStream && !cell.isBacked)
    fixture.play(cells)
    const before = new Set(await requestIds())
    const readers = await Promise.all(cells.map((cell) => heldBack(cell, floods, pace)))
    const closed = readers.map(({ flood }) => whenClosed(flood.socket))
    gateway.clock.passTime(121_000)
    await Promise.all(closed)
    await eventually('all are settled', () => gateway.node.ledger.openHolds === 0)
    const { health } = gateway.node.routing
    for (const cell of cells) {
      const [target] = health.viewOf(cell.model).targets
      expect(target?.failuresInRow).toBe(0)
    }
    await gateway.node.ledger.shipped()
    const ids = (await requestIds()).filter((id) => !before.has(id))
    expect(ids).toHaveLength(cells.length)
    for (const id of ids) {
      expect(await gateway.money.usageRow(id)).toMatchObject({ status: 499, reason: 'client_gone' })
    }
    for (const { reader } of readers) reader.destroy()
    await expectOrder(gateway)
  })
})

async function requestIds(): Promise<string[]> {
  const rows = await fixture.gateway.engine.db.selectFrom('entry').select('request_id').execute()
  return rows.map((row) => row.request_id)
}

/** A client that does not read; returns once its upstream has to wait. */
async function heldBack(
  cell: Cell,
  floods: ReadonlyMap<string, Flood>,
  { pieceBytes }: Pace,
): Promise<{ reader: Socket; flood: Flood }> {
  const reader = await openStuck(cell)
  const flood = await eventually('the upstream is asked', () => floods.get(cell.model))
  const isHeld = isSteady(() => flood.sentBytes)
  await eventually('the upstream is held back', () => flood.sentBytes > 4 * pieceBytes && isHeld())
  return { reader, flood }
}

/** The bytes of the upstream that are neither in the kernel nor at the client, once the upstream has to wait. */
async function keptFor(
  cell: Cell,
  floods: ReadonlyMap<string, Flood>,
  pace: Pace,
): Promise<number> {
  const { reader, flood } = await heldBack(cell, floods, pace)
  const { socket } = flood
  const closed = whenClosed(socket)
  const port = Number(new URL(fixture.gateway.url).port)
  const inKernel =
    queuedBetween(socket.localPort ?? 0, socket.remotePort ?? 0) +
    queuedBetween(port, reader.localPort ?? 0)
  const kept = flood.sentBytes - inKernel - reader.bytesRead
  reader.destroy()
  await closed
  // A part of the piece in transit is in the kernel and not counted above.
  return kept + pace.pieceBytes
}
