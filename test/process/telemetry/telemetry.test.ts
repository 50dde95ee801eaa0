import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { eventually } from '../../support/eventually.ts'
import { startFakeUpstream } from '../../support/fake-upstream/start-fake-upstream.ts'
import { startOtlpReceiver } from '../../support/otlp-receiver.ts'
import { patience } from '../../support/patience.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import { cleanUpAfterwards, startTollgate } from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'
import { startGateway } from '../documents/started-gateway.ts'

cleanUpAfterwards()

const receiver = startOtlpReceiver()
const upstream = await startFakeUpstream()
afterAll(async () => {
  await receiver.stop()
  await upstream.stop()
})

test(
  'a stopping gateway sends the remaining spans, log events and metrics',
  async () => {
    const gateway = await startGateway({
      TOLLGATE_OTLP_ENDPOINT: receiver.url,
      TOLLGATE_OTLP_HEADERS: 'authorization=Bearer a-token-of-the-collector',
      TOLLGATE_TRACE_SAMPLE_RATE: '1',
      TOLLGATE_METRICS_OWNERS: 'keys',
    })
    const headers = { authorization: `Bearer ${gateway.key}` }
    expect((await fetch(`${gateway.baseUrl}/v1/models`, { headers })).status).toBe(200)
    expect(await gateway.stop()).toBe(0)
    expect(receiver.problems).toEqual([])
    expect(receiver.spans.map(({ name }) => name)).toEqual(['GET'])
    expect(receiver.logs.map(({ eventName }) => eventName)).toContain('stopped')
    const counted = receiver.metrics.find(({ name }) => name === 'tollgate_owner_requests_total')
    expect(JSON.stringify(counted)).toContain('"asDouble":1')
    expect(receiver.texts[0]).toContain('"authorization":"Bearer a-token-of-the-collector"')
    expect(receiver.texts.join('')).not.toContain(gateway.key)
  },
  patience(60_000),
)

const references = [
  ['a file that changes', 'file:headers', false],
  ['a program, after SIGHUP', 'exec:./print-headers', true],
] as const

test.each(references)(
  'the headers for the collector come from %s',
  async (_, otlpHeaders, isAsked) => {
    receiver.texts.length = 0
    const workspace = makeWorkspace(
      shopConfig(upstream.url, {
        otlpEndpoint: receiver.url,
        otlpHeaders,
        traceSampleRate: 1,
        secretRefreshSeconds: 0,
      }),
    )
    const write = (turn: string) =>
      writeFileSync(workspace.path('headers'), `authorization=Bearer token-of-turn-${turn}\n`)
    writeFileSync(workspace.path('print-headers'), '#!/bin/sh\ncat headers\n', { mode: 0o700 })
    write('one')
    const gateway = await startTollgate(workspace)
    /** From now on everything arrives with these headers. */
    const expectTurn = (turn: string) =>
      eventually(`the headers of turn ${turn} are sent`, async () => {
        await (await askShop(gateway.url)).text()
        return receiver.texts.at(-1)?.includes(`"authorization":"Bearer token-of-turn-${turn}"`)
      })
    await expectTurn('one')
    write('two')
    if (isAsked) gateway.signal('SIGHUP')
    await expectTurn('two')
    // Invalid headers change nothing.
    writeFileSync(workspace.path('headers'), 'host=elsewhere.example-private')
    if (isAsked) gateway.signal('SIGHUP')
    await eventually('they are refused', () => gateway.stderr().includes('"secret_not_read"'))
    receiver.texts.length = 0
    await expectTurn('two')
    gateway.signal('SIGTERM')
    expect(await gateway.exited).toBe(0)
    expect(receiver.problems).toEqual([])
    expect(receiver.texts.join('')).not.toContain('token-of-turn-one')
    expect(gateway.stderr() + gateway.stdout()).not.toMatch(/token-of-turn|example-private/)
  },
  patience(60_000),
)
