import { expect, test } from 'bun:test'
import { putUpstream, type UpstreamInput } from '../../../src/catalog/upstream-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { write } from '../../../src/store/changes/write.ts'
import { eventually } from '../../support/eventually.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { credentials } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { startConnectProxy } from '../../support/outgoing/start-connect-proxy.ts'

const gateway = withGateway()
const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }

/** A change by an operator to the only upstream of gpt-y. */
async function change(own: Partial<UpstreamInput>): Promise<void> {
  const { engine, one } = gateway()
  const baseUrl = `${one.url}/v1`
  const place = { vendor: 'openai-compatible', protocol: 'chat-completions', baseUrl }
  await write(engine, Date.now(), (writing) =>
    putUpstream(writing, tools, { id: 'one', ...place, ...own }),
  )
}

const askY = () => gateway().ask({ key: 'plain', body: chatBody({ model: 'gpt-y' }) })

async function statusBecomes(status: number): Promise<void> {
  await eventually(`the answer is ${status}`, async () => (await askY()).status === status)
}

test('a credential is not sent to a host that it was not entered for', async () => {
  const { two, logLines } = gateway()
  await statusBecomes(200)
  const logged = logLines.length
  await change({ baseUrl: `${two.url}/v1` })
  await statusBecomes(503)
  expect((await askY()).json).toMatchObject({ error: { code: 'no_upstream_available' } })
  expect(two.requests).toEqual([])
  const told = logLines.slice(logged).filter((line) => line.includes('upstream_needs_credential'))
  expect(told).toHaveLength(1)

  await change({ baseUrl: `${two.url}/v1`, credentials: [{ name: 'a', value: credentials.two }] })
  await statusBecomes(200)
  expect(two.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${credentials.two}`)
  for (const { headers } of two.requests) {
    expect(JSON.stringify(headers)).not.toContain(credentials.one)
  }
  await change({ credentials: [{ name: 'first', value: credentials.one }] })
  await eventually('the upstream answers again', async () => {
    const before = gateway().one.requests.length
    await askY()
    return gateway().one.requests.length > before
  })
})

test('a disabled upstream gets no requests, and models that only it serves are not listed', async () => {
  const { ask, one } = gateway()
  await change({ isEnabled: false })
  await statusBecomes(503)
  const { length } = one.requests
  await askY()
  expect(one.requests).toHaveLength(length)
  const { text } = await ask({ key: 'plain', path: '/v1/models' })
  expect(text).toContain('"gpt-x"')
  expect(text).not.toContain('"gpt-y"')
  await change({ isEnabled: true })
  await statusBecomes(200)
})

test('a credential is not sent unencrypted to a proxy that was added after it was entered', async () => {
  const proxy = await startConnectProxy('team:first-password')
  const other = await startConnectProxy('team:first-password')
  const through = (port: number, password = 'first-password') =>
    `http://team:${password}@127.0.0.1:${port}`
  const entered = [{ name: 'first', value: credentials.one }]
  const heads = () => [...proxy.heads, ...other.heads].join('\n')
  await statusBecomes(200)
  await change({ proxy: through(proxy.port) })
  await statusBecomes(503)
  expect(heads()).not.toContain(credentials.one)

  await change({ proxy: through(proxy.port), credentials: entered })
  await statusBecomes(200)
  expect(proxy.heads.join()).toContain(credentials.one)

  // Another password does not make another proxy; the proxy now rejects it.
  await change({ proxy: through(proxy.port, 'second-password') })
  await statusBecomes(502)
  await change({ proxy: through(proxy.port) })
  await statusBecomes(200)

  await change({ proxy: through(other.port) })
  await statusBecomes(503)
  expect(other.heads).toEqual([])

  await change({ proxy: null, credentials: entered })
  await statusBecomes(200)
  await Promise.all([proxy.stop(), other.stop()])
})
