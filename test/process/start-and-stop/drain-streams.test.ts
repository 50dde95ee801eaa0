import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { chunk, done, roleChunk, stopChunk } from '../../support/gateway/chat-events.ts'
import { chatRequest } from '../../support/gateway/chat-request.ts'
import { openSocket } from '../../support/gateway/send-raw.ts'
import { patience } from '../../support/patience.ts'
import { readLedger } from '../../support/process/ledger-state.ts'
import { shopConfig, shopKey } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  startTollgate,
  type TollgateProcess,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace, type Workspace } from '../../support/process/workspace.ts'
import { openRawStream, type RawStream } from '../replicas/raw-stream.ts'

cleanUpAfterwards()

const streamCount = 500
const stuckCount = 10

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterEach(() => upstream.reset())
afterAll(() => upstream.stop())

interface Busy {
  readonly workspace: Workspace
  readonly gateway: TollgateProcess
  readonly streams: readonly RawStream[]
  /** Lets every stream continue. */
  release(): void
}

async function startBusy(flags: readonly string[]): Promise<Busy> {
  const workspace = makeWorkspace(shopConfig(upstream.url))
  const gateway = await startTollgate(workspace, ['--log-level', 'error', ...flags])
  const gate = Promise.withResolvers<void>()
  const events = [roleChunk(), chunk('Hello'), chunk(' again'), stopChunk(), done]
  const gates = [undefined, undefined, gate.promise]
  upstream.script({}, { kind: 'events', events, end: 'clean', gates })
  const streams = await Promise.all(
    Array.from({ length: streamCount }, () => openRawStream(gateway.url)),
  )
  await eventually('all streams have begun', () =>
    streams.every((stream) => stream.text().includes('Hello')),
  )
  return { workspace, gateway, streams, release: gate.resolve }
}

async function stopReady({ url }: TollgateProcess): Promise<void> {
  await eventually(
    'it is no longer ready',
    async () => (await fetch(`${url}/readyz`)).status === 503,
  )
}

interface Row {
  readonly status: number
  readonly reason: string | null
}

async function expectSettled({ folder }: Workspace, count: number, row: Row): Promise<void> {
  const ledger = await readLedger(`sqlite://${folder}/data/tollgate.db`)
  expect(ledger.imbalances).toEqual([])
  expect(ledger.entries.size).toBe(count)
  expect([...ledger.rows.values()]).toEqual(Array.from({ length: count }, () => row))
  expect(ledger.availableNano).toBe(ledger.creditNano - ledger.spentNano)
  expect(ledger.spentNano).toBeGreaterThan(0n)
}

describe(`SIGTERM with ${streamCount} open streams`, () => {
  test(
    'within the drain time no stream is cut, all are settled, exit code 0',
    async () => {
      const { workspace, gateway, streams, release } = await startBusy([])
      gateway.signal('SIGTERM')
      await stopReady(gateway)
      expect(streams.filter((stream) => stream.ending() !== undefined)).toEqual([])
      release()
      await Promise.all(streams.map((stream) => stream.over))
      expect(streams.filter((stream) => !stream.text().includes('[DONE]'))).toEqual([])
      expect(await gateway.exited).toBe(0)
      await expectSettled(workspace, streamCount, { status: 200, reason: null })
    },
    patience(60_000),
  )

  test(
    'after the drain time the remaining streams end with an error event, none is reset, exit code 0',
    async () => {
      const { workspace, gateway, streams } = await startBusy(['--drain-seconds', '1'])
      gateway.signal('SIGTERM')
      await Promise.all(streams.map((stream) => stream.over))
      expect(streams.filter((stream) => stream.ending() === 'reset')).toEqual([])
      expect(streams.filter((stream) => !stream.text().includes('"unavailable"'))).toEqual([])
      expect(streams.filter((stream) => stream.text().includes('[DONE]'))).toEqual([])
      expect(await gateway.exited).toBe(0)
      await expectSettled(workspace, streamCount, { status: 503, reason: 'unavailable' })
    },
    patience(60_000),
  )

  test(
    'clients that do not read do not delay the exit, and their requests are settled',
    async () => {
      const workspace = makeWorkspace(shopConfig(upstream.url))
      const flags = ['--log-level', 'error', '--drain-seconds', '1']
      const gateway = await startTollgate(workspace, flags)
      const long = chunk('x'.repeat(64 * 1024))
      // More than all buffers between upstream and client can hold.
      const events = [roleChunk(), ...Array.from({ length: 500 }, () => long), stopChunk(), done]
      upstream.script({}, { kind: 'events', events, end: 'clean' })
      const stuck = await Promise.all(
        Array.from({ length: stuckCount }, async () => {
          const socket = await openSocket(gateway.url)
          socket.pause()
          socket.write(chatRequest(shopKey, chatBody({ stream: true })))
          return socket
        }),
      )
      await upstream.whenRequested(stuckCount)
      gateway.signal('SIGTERM')
      expect(await gateway.exited).toBe(0)
      for (const socket of stuck) socket.destroy()
      await expectSettled(workspace, stuckCount, { status: 503, reason: 'unavailable' })
    },
    patience(60_000),
  )
})
