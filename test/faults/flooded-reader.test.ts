import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { openSocket } from '../support/gateway/send-raw.ts'
import { expectOrder } from '../support/gateway/with-gateway.ts'
import { missingPart } from '../support/missing-part.ts'
import { type Cell, cellsOf } from './cell.ts'
import { either, good } from './fault.ts'
import { type FaultyFixture, startFaultyFixture } from './faulty-fixture.ts'
import { type FloodingUpstream, startFloodingUpstream } from './flooding-upstream.ts'
import { isSteady } from './is-steady.ts'
import { hasKernelQueues, queuedBetween } from './kernel-queues.ts'
import { requestBytes } from './request-bytes.ts'

/*
 * An upstream that writes as fast as the kernel accepts, and a client that never reads, passed through and translated:
 * the gateway buffers a bounded number of bytes.
 */

const heldBytesMax = 256 * 1024
/** More than any gateway may buffer, so that the gateway really has paused the upstream. */
const floodBytesMin = 1024 * 1024

let fixture: FaultyFixture
let flooding: FloodingUpstream
beforeAll(async () => {
  flooding = startFloodingUpstream()
  fixture = await startFaultyFixture({ flooding: flooding.url })
})
afterAll(async () => {
  await fixture.stop()
  flooding.stop()
})

/**
 * The bytes received from the upstream minus the bytes that the client's socket has accepted, once the upstream has to
 * wait.
 */
async function heldFor(cell: Cell): Promise<number> {
  const { url, keys } = fixture.gateway
  const reader = await openSocket(url)
  reader.pause()
  reader.write(requestBytes(cell, keys.any))
  const flood = await eventually('the upstream is asked', () => flooding.floods.get(cell.model))
  const isHeld = isSteady(() => flood.sentBytes)
  await eventually('it is held back', () => flood.sentBytes > floodBytesMin && isHeld())
  const received = flood.sentBytes - queuedBetween(flood.localPort, flood.remotePort)
  const port = Number(new URL(url).port)
  const taken = queuedBetween(port, reader.localPort ?? 0) + reader.bytesRead
  reader.destroy()
  await flood.closed
  return received - taken
}

if (!hasKernelQueues) missingPart('faults: memory per client that never reads', 'no /proc/net/tcp')
if (hasKernelQueues)
  describe('a client that never reads while the upstream floods it', aboutFlooded)

function aboutFlooded() {
  const cells = cellsOf(either('a flood', good(), undefined, 'flooding')).filter(
    (cell) => cell.isStream && !cell.isBacked,
  )
  test.each([
    { name: 'passed through', isTranslated: false },
    { name: 'translated', isTranslated: true },
  ])('$name: the gateway buffers at most 256 KiB', async ({ name, isTranslated }) => {
    const own = cells.filter(({ from, to }) => (from !== to) === isTranslated)
    expect(own.length).toBe(isTranslated ? 12 : 4)
    const held = await Promise.all(own.map(heldFor))
    const most = Math.round(Math.max(...held) / 1024)
    process.stdout.write(`FIGURES: a flooded reader, ${name}: at most ${most} KiB held\n`)
    await expectOrder(fixture.gateway)
    expect(Math.max(...held)).toBeLessThanOrEqual(heldBytesMax)
  })
}
