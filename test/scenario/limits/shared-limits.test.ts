import { afterEach, describe, expect, test } from 'bun:test'
import type { Provision } from '../../../src/config/provision.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { createKey } from '../../../src/keys/key-store.ts'
import { write } from '../../../src/store/changes/write.ts'
import { eventually } from '../../support/eventually.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { expectConsistentRefusal } from '../../support/gateway/expect-consistent-refusal.ts'
import { withRouting } from '../../support/gateway/routing-provision.ts'
import {
  type GatewayOptions,
  startGateway,
  type TestGateway,
} from '../../support/gateway/start-gateway.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { credentials } from '../../support/gateway/test-provision.ts'

const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }
const only = { name: 'first', value: credentials.one }
const started: TestGateway[] = []
afterEach(async () => {
  for (const each of started.splice(0).reverse()) await each.stop()
})

async function startThree(options: GatewayOptions = {}): Promise<readonly TestGateway[]> {
  const first = await startGateway(options)
  started.push(first)
  for (let count = 1; count < 3; count += 1)
    started.push(await startGateway({ ...options, beside: first }))
  await eventually('all know each other', () =>
    started.every(({ node }) => node.rateLimits.replicas() === 3),
  )
  return started
}

async function newKey({ engine }: TestGateway, requestsPerMinute: number) {
  const { value } = await write(engine, Date.now(), (writing) =>
    createKey(writing, tools, { accountId: 'acme', name: 'limited', requestsPerMinute }),
  )
  return { authorization: `Bearer ${value}` }
}

describe('three gateways on one database, without a server for limits', () => {
  test('admit together as much as the limit allows, within 10 %', async () => {
    const gateways = await startThree()
    const [first] = gateways
    if (!first) throw new Error('no gateway')
    const limit = 60
    const headers = await newKey(first, limit)
    const startedMs = performance.now()
    const replies = await Promise.all(
      Array.from({ length: 240 }, async (_, index) => {
        const at = gateways[index % 3] ?? first
        return at.ask({ headers, body: chatBody() })
      }),
    )
    // One more request is admitted every second.
    const more = Math.ceil((performance.now() - startedMs) / 1_000)
    const admitted = replies.filter(({ status }) => status === 200).length
    expect(admitted).toBeGreaterThanOrEqual(0.9 * limit)
    expect(admitted).toBeLessThanOrEqual(1.1 * limit + more)
    for (const { status } of replies) expect([200, 429]).toContain(status)
  })

  test('a gateway without requests does not say that a limit is available that another one has used', async () => {
    const gateways = await startThree()
    const [first] = gateways
    if (!first) throw new Error('no gateway')
    const headers = await newKey(first, 1)
    const bodies = [
      { path: '/v1/chat/completions', body: chatBody() },
      {
        path: '/v1/messages',
        body: { model: 'gpt-x', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 },
      },
    ]
    let refusals = 0
    for (const at of gateways) {
      for (const { path, body } of bodies) {
        const nowMs = at.clock.nowMs()
        const reply = await at.ask({ headers, path, body })
        if (reply.status === 200) continue
        refusals += 1
        expectConsistentRefusal(reply, nowMs)
        const limit = path.endsWith('messages')
          ? 'anthropic-ratelimit-requests-limit'
          : 'x-ratelimit-limit-requests'
        expect(reply.headers.get(limit)).toBe('1')
      }
    }
    expect(refusals).toBeGreaterThan(3)
  })

  test('the limits of a credential hold together, within 10 %', async () => {
    const limit = 60
    const withLimit = (usual: Provision): Provision => {
      const provision = withRouting(usual)
      const upstreams = provision.upstreams.map((each) =>
        each.id === 'keys'
          ? { ...each, credentials: [{ ...only, requestsPerMinute: limit }] }
          : each,
      )
      return { ...provision, upstreams }
    }
    const gateways = await startThree({ extend: withLimit })
    const [first] = gateways
    if (!first) throw new Error('no gateway')
    const startedMs = performance.now()
    const burst = async (length: number) => {
      const body = chatBody({ model: 'gpt-keys' })
      const replies = await Promise.all(
        Array.from({ length }, (_, index) =>
          (gateways[index % 3] ?? first).ask({ key: 'plain', body }),
        ),
      )
      // The upstream of lower priority has no limit.
      for (const { status } of replies) expect(status).toBe(200)
    }
    await burst(240)
    // A gateway that was paused for long, or saw the demand of one gateway first, uses less until the next exchange.
    await eventually('the gateways use nine tenths of the limit', async () => {
      const isUsed = first.one.requests.length >= 0.9 * limit
      if (!isUsed) await burst(30)
      return isUsed
    })
    const more = Math.ceil((performance.now() - startedMs) / 1_000)
    expect(first.one.requests.length).toBeLessThanOrEqual(1.1 * limit + more)
  })

  test('the only gateway with requests gets all of a limit at once', async () => {
    const [first, second] = await startThree()
    if (!first || !second) throw new Error('no gateway')
    const headers = await newKey(first, 6)
    const startedMs = performance.now()
    const statuses: number[] = []
    for (const at of [...Array.from({ length: 6 }, () => first), first, second])
      statuses.push((await at.ask({ headers, body: chatBody() })).status)
    expect(statuses.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => 200))
    // One more request is admitted every ten seconds.
    const more = Math.floor((performance.now() - startedMs) / 10_000)
    expect(statuses.slice(6).filter((status) => status === 200).length).toBeLessThanOrEqual(more)
  })
})
