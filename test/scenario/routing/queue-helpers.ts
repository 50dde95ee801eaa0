import { describe, expect, test } from 'bun:test'
import { putUpstream } from '../../../src/catalog/upstream-store.ts'
import type { Provision } from '../../../src/config/provision.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { priorities } from '../../../src/core/upstreams/priority.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { eventually } from '../../support/eventually.ts'
import type { FakeUpstream } from '../../support/fake-upstream/start-fake-upstream.ts'
import { chatBody, type Reply } from '../../support/gateway/ask.ts'
import { withRouting } from '../../support/gateway/routing-provision.ts'
import type { TestGateway } from '../../support/gateway/start-gateway.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import type { KeyName } from '../../support/gateway/test-provision.ts'

export const queue = { waitMs: 30_000, lengthMax: 12 }
export const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
export const costNano = 125_000n

/** gpt-pair has two upstreams, each with one place. Three keys of the same account differ in priority. */
export function withPriorities(provision: Provision): Provision {
  const routed = withRouting(provision)
  const [like] = routed.models
  const capped = routed.upstreams.find(({ id }) => id === 'capped')
  const two = routed.upstreams.find(({ id }) => id === 'two')
  if (!like || !capped || !two) throw new Error('the usual provision has changed')
  const models = [{ model: 'gpt-pair', upstreamModel: 'gpt-pair' }]
  const own: Partial<Record<KeyName, 'high' | 'low'>> = { local: 'high', expiring: 'low' }
  return {
    ...routed,
    models: [...routed.models, { ...like, id: 'gpt-pair' }],
    upstreams: [
      ...routed.upstreams,
      { ...capped, id: 'pair-one', models },
      { ...two, id: 'pair-two', models, priority: 1, concurrencyMax: 1 },
    ],
    groups: routed.groups.map((group) =>
      group.id === 'default' ? { ...group, priority: 'normal' } : group,
    ),
    keys: routed.keys.map((key) => ({ ...key, priority: own[key.id as KeyName] ?? null })),
  }
}

/** The next answer of the upstream waits for `release`. */
export function holdBack(upstream: FakeUpstream): () => void {
  const gate = Promise.withResolvers<void>()
  upstream.script('next', {
    kind: 'events',
    headers: { 'content-type': 'application/json' },
    events: [JSON.stringify({ choices: [], usage })],
    end: 'clean',
    gates: [gate.promise],
  })
  return gate.resolve
}

export const body = (more: JsonObject = {}) => chatBody({ model: 'gpt-capped', ...more })

/** Takes the only place of an upstream until `release`. */
export async function occupy({ ask, one }: TestGateway, key: KeyName = 'plain') {
  const release = holdBack(one)
  const seen = one.requests.length
  const running = ask({ key, body: body() })
  await one.whenRequested(seen + 1)
  return { running, release }
}

const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }

/** Changes the limit of the only upstream of gpt-capped. */
export async function setConcurrency(at: TestGateway, concurrencyMax: number | null) {
  const upstream = {
    id: 'capped',
    vendor: 'openai-compatible',
    protocol: 'chat-completions',
    baseUrl: `${at.one.url}/v1`,
    concurrencyMax,
  }
  await write(at.engine, Date.now(), (writing) => putUpstream(writing, tools, upstream))
  await at.node.follower.catchUp()
}

export const lengthOf = ({ node }: TestGateway) =>
  priorities.reduce((sum, each) => sum + (node.routing.queue?.lengthOf(each) ?? 0), 0)
export const untilWaiting = (at: TestGateway, count: number) =>
  eventually(`${count} wait`, () => lengthOf(at) === count)

/** The response without the request id. */
const shownBy = ({ status, headers, text, requestId }: Reply) => ({
  status,
  retryAfter: headers.get('retry-after'),
  text: text.replaceAll(requestId, 'ID'),
})

const messages = [{ role: 'user', content: 'Hello' }]
const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }]
const google = '/v1beta/models/gpt-capped'
export const clients: [name: string, path: string, body: JsonObject][] = [
  ['chat-completions', '/v1/chat/completions', body()],
  ['chat-completions as a stream', '/v1/chat/completions', body({ stream: true })],
  ['responses', '/v1/responses', { model: 'gpt-capped', input: 'Hello' }],
  ['responses as a stream', '/v1/responses', { model: 'gpt-capped', input: 'Hello', stream: true }],
  ['messages', '/v1/messages', { model: 'gpt-capped', messages, max_tokens: 9 }],
  [
    'messages as a stream',
    '/v1/messages',
    { model: 'gpt-capped', messages, max_tokens: 9, stream: true },
  ],
  ['generate-content', `${google}:generateContent`, { contents }],
  ['generate-content as a stream', `${google}:streamGenerateContent?alt=sse`, { contents }],
]

/** The behaviour of a full upstream for every client. `without` has no queue. */
export function waitingTests(
  of: typeof clients,
  gateway: () => TestGateway,
  without: () => TestGateway,
): void {
  describe.each(of)('an upstream that is full, in %s', (_, path, request) => {
    test('the request waits, is served, and is charged once', async () => {
      const { ask, one, money } = gateway()
      one.script({}, { kind: 'lie-usage', usage })
      const { running, release } = await occupy(gateway())
      const waiting = ask({ key: 'plain', path, body: request })
      await untilWaiting(gateway(), 1)
      expect(one.requests.length).toBe(1)
      release()
      const [first, reply] = await Promise.all([running, waiting])
      expect([first.status, reply.status]).toEqual([200, 200])
      expect(first.headers.get('x-gateway-queue-ms')).toBeNull()
      expect(reply.headers.get('x-gateway-queue-ms')).toMatch(/^\d+$/)
      expect(one.requests.length).toBe(2)
      const row = await money.usageRow(reply.requestId)
      expect(row).toMatchObject({ status: 200, reason: null, cost_nano: costNano })
      expect(row.queued_ms).toBe(Number(reply.headers.get('x-gateway-queue-ms')))
      expect(row.note).toContain('queued')
      expect((await money.usageRow(first.requestId)).queued_ms).toBeNull()
      expect((await money.entry(reply.requestId)).cost_nano).toBe(costNano)
    })

    test('after the longest wait the response is the same as without a queue, and nothing is charged', async () => {
      const held = await occupy(without())
      const expected = shownBy(await without().ask({ key: 'plain', path, body: request }))
      held.release()
      expect((await held.running).status).toBe(200)
      expect(expected).toMatchObject({ status: 503, retryAfter: '1' })
      const { ask, clock, money, one } = gateway()
      const { running, release } = await occupy(gateway())
      const waiting = ask({ key: 'plain', path, body: request })
      await untilWaiting(gateway(), 1)
      clock.passTime(queue.waitMs)
      const refused = await waiting
      expect(shownBy(refused)).toEqual(expected)
      expect(lengthOf(gateway())).toBe(0)
      const row = await money.usageRow(refused.requestId)
      expect(row).toMatchObject({ status: 503, reason: 'no_upstream_available', cost_nano: 0n })
      expect(row.queued_ms).toBeGreaterThanOrEqual(queue.waitMs)
      expect(row.queued_ms).toBe(Number(refused.headers.get('x-gateway-queue-ms')))
      release()
      expect((await running).status).toBe(200)
      expect(one.requests.length).toBe(1)
    })

    test('a client that disconnects leaves the queue, and its money is free', async () => {
      const { open, node, engine, one } = gateway()
      const { running, release } = await occupy(gateway())
      const leaving = new AbortController()
      const asked = open({ key: 'plain', path, body: request, signal: leaving.signal })
      asked.catch(() => undefined)
      await untilWaiting(gateway(), 1)
      expect(node.ledger.openHolds).toBe(2)
      leaving.abort()
      await untilWaiting(gateway(), 0)
      await eventually('the hold has ended', () => node.ledger.openHolds === 1)
      release()
      expect((await running).status).toBe(200)
      expect(one.requests.length).toBe(1)
      await node.ledger.shipped()
      const rows = engine.db.selectFrom('usage_row').selectAll().where('reason', '=', 'client_gone')
      const gone = await rows.orderBy('at', 'desc').execute()
      expect(gone[0]).toMatchObject({ status: 499, cost_nano: 0n, upstream_id: null })
      expect(gone[0]?.queued_ms).not.toBeNull()
    })
  })
}
