import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { chunk, done, roleChunk, stopChunk } from '../../support/gateway/chat-events.ts'
import { readStream } from '../../support/gateway/stream-reader.ts'
import { readLedger } from '../../support/process/ledger-state.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  startTollgate,
  type TollgateProcess,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace, type Workspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

let upstream: FakeUpstream
let workspace: Workspace
beforeAll(async () => {
  upstream = await startFakeUpstream()
  workspace = makeWorkspace(shopConfig(upstream.url))
})
afterEach(() => upstream.reset())
afterAll(() => upstream.stop())

const events = [roleChunk(), chunk('Hello'), stopChunk(), done]

/** A gateway with one running stream, which continues when `release` is called. */
async function startBusy(flags: string[] = []) {
  const gateway = await startTollgate(workspace, flags)
  const gate = Promise.withResolvers<void>()
  const gates = [undefined, undefined, gate.promise]
  upstream.script('next', { kind: 'events', events, end: 'clean', gates })
  const stream = readStream(await askShop(gateway.url, { body: chatBody({ stream: true }) }))
  await stream.readUntil('Hello')
  return { gateway, stream, release: gate.resolve }
}

async function expectDraining({ url }: TollgateProcess): Promise<void> {
  await eventually('the gateway is not ready any more', async () => {
    return (await fetch(`${url}/readyz`)).status === 503
  })
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  const refused = await askShop(url)
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refused.json()).toMatchObject({ error: { code: 'unavailable' } })
  expect(upstream.requests).toHaveLength(1)
}

/** After a clean stop nothing is reserved: the available money is the credit minus the entries. */
async function expectCleanLedger(): Promise<void> {
  const ledger = await readLedger(`sqlite://${workspace.path('data/tollgate.db')}`)
  expect(ledger.imbalances).toEqual([])
  expect(ledger.availableNano).toBe(ledger.creditNano - ledger.spentNano)
}

describe('a stop signal', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s lets a running stream finish', async (name) => {
    const { gateway, stream, release } = await startBusy()
    gateway.signal(name)
    await expectDraining(gateway)
    release()
    expect(await stream.readAll()).toBe(events.join(''))
    expect(await gateway.exited).toBe(0)
    await expectCleanLedger()
  })

  test('a second SIGTERM changes nothing, a second SIGINT ends the process at once', async () => {
    const { gateway, stream } = await startBusy()
    gateway.signal('SIGTERM')
    await expectDraining(gateway)
    gateway.signal('SIGTERM')
    gateway.signal('SIGINT')
    await expectDraining(gateway)
    gateway.signal('SIGINT')
    const text = await stream.readAll()
    expect(text).toContain('"code":"unavailable"')
    expect(text).not.toContain('[DONE]')
    expect(await gateway.exited).toBe(0)
    await upstream.requests[0]?.whenAborted
    await expectCleanLedger()
  })

  test('a stream that outlasts the drain time ends with the reason', async () => {
    const { gateway, stream } = await startBusy(['--drain-seconds', '0'])
    gateway.signal('SIGTERM')
    const text = await stream.readAll()
    expect(text).toContain('"code":"unavailable"')
    expect(await gateway.exited).toBe(0)
    await expectCleanLedger()
  })

  test('SIGTERM: in the lame duck phase requests are answered and connections closed after their response', async () => {
    const { gateway, stream, release } = await startBusy(['--lame-duck-seconds', '600'])
    gateway.signal('SIGTERM')
    await eventually('it is not ready any more', async () => {
      return (await fetch(`${gateway.url}/readyz`)).status === 503
    })
    upstream.script('next', { kind: 'events', events, end: 'clean' })
    const response = await askShop(gateway.url, { body: chatBody({ stream: true }) })
    expect(response.status).toBe(200)
    expect(response.headers.get('connection')).toBe('close')
    expect(await response.text()).toBe(events.join(''))
    // Ctrl-C ends the lame duck phase, but not the running requests.
    gateway.signal('SIGINT')
    await eventually('it takes no more', async () => {
      const refused = await askShop(gateway.url)
      await refused.text()
      return refused.status === 503
    })
    release()
    expect(await stream.readAll()).toBe(events.join(''))
    expect(await gateway.exited).toBe(0)
    await expectCleanLedger()
  })

  test('an idle gateway stops at once', async () => {
    const gateway = await startTollgate(workspace)
    gateway.signal('SIGINT')
    expect(await gateway.exited).toBe(0)
    expect(await askShop(gateway.url).catch(() => 'nobody')).toBe('nobody')
  })
})
