import { afterEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/eventually.ts'
import type { FakeUpstream } from '../../support/fake-upstream/start-fake-upstream.ts'
import { chatBody, type Reply } from '../../support/gateway/ask.ts'
import { startGateway, type TestGateway } from '../../support/gateway/start-gateway.ts'
import { credits, type KeyName } from '../../support/gateway/test-provision.ts'
import { expectOrder } from '../../support/gateway/with-gateway.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'

const callers = 200
const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
const body = chatBody({ max_tokens: 100 })
/** The hold of one such request: its bytes and some framing as input, and its limit as output. */
const holdNano = BigInt(JSON.stringify(body).length + 512) * 2_500n + 100n * 10_000n
const affordable = Number(credits.tight / holdNano)

const gateways: TestGateway[] = []
afterEach(async () => {
  for (const gateway of gateways.splice(0).reverse()) await gateway.stop()
})

/** Delays every answer until `release`, so that all admitted requests run at the same time. */
function holdBack(upstream: FakeUpstream): () => void {
  const gate = Promise.withResolvers<void>()
  upstream.script(
    {},
    {
      kind: 'events',
      headers: { 'content-type': 'application/json' },
      events: [JSON.stringify({ choices: [], usage })],
      end: 'clean',
      gates: [gate.promise],
    },
  )
  return gate.resolve
}

async function storm(nodes: readonly TestGateway[], key: KeyName): Promise<void> {
  const [first] = nodes
  if (!first) throw new Error('no gateway')
  const { one, money } = first
  const release = holdBack(one)
  const refused: Reply[] = []
  const answered: Reply[] = []
  const askOnce = (node: TestGateway) => {
    const asked = node.ask({ key, body }).then((reply) => {
      if (reply.status === 200) answered.push(reply)
      else refused.push(reply)
      return reply
    })
    // A failure is reported where the promise is awaited, and nowhere else.
    asked.catch(() => undefined)
    return asked
  }
  const all = Array.from({ length: callers }, (_, index) =>
    askOnce(nodes[index % nodes.length] ?? first),
  )
  await eventually('all others are refused', () => refused.length >= callers - affordable)
  // Idle money of one process reaches the other when that one asks again, and no more than there is.
  while (one.requests.length < affordable) {
    const more = nodes.map(askOnce)
    all.push(...more)
    await Promise.race([...more, one.whenRequested(affordable)])
  }
  const last = await Promise.all(nodes.map(askOnce))
  expect(last.map(({ status }) => status)).toEqual(nodes.map(() => 403))
  expect(one.requests).toHaveLength(affordable)
  expect(await money.overdrawn()).toEqual([])
  expect(await money.imbalances()).toEqual([])
  for (const { json } of refused) {
    expect(json).toMatchObject({ error: { code: 'quota_in_flight' } })
  }

  release()
  await Promise.all(all)
  expect(answered).toHaveLength(affordable)
  for (const { requestId } of answered) {
    expect((await money.entry(requestId)).cost_nano).toBe(125_000n)
  }
  expect(await money.spentBy(key)).toBe(BigInt(affordable) * 125_000n)
  for (const node of nodes) await expectOrder(node)
}

describe('many clients with enough money', () => {
  test('all are answered, each is charged once', async () => {
    const gateway = await startGateway()
    gateways.push(gateway)
    const { ask, money, one } = gateway
    one.script({}, { kind: 'lie-usage', usage })
    const asked = Array.from({ length: callers }, (_, index) =>
      ask({ key: 'plain', body: chatBody({ stream: index % 2 === 0 }) }),
    )
    const replies = await Promise.all(asked)
    expect(replies.filter(({ status }) => status !== 200)).toEqual([])
    expect(new Set(replies.map(({ requestId }) => requestId)).size).toBe(callers)
    await expectOrder(gateway)
    expect(await money.counts()).toEqual({ entries: callers, rows: callers })
    expect(await money.spentBy('plain')).toBe(BigInt(callers) * 125_000n)
  })
})

describe(`${callers} callers with money for ${affordable}`, () => {
  test.each(['tight', 'tightQuota'] as const)('one process, the key "%s"', async (key) => {
    const gateway = await startGateway()
    gateways.push(gateway)
    await storm([gateway], key)
  })

  const name = 'concurrency: two processes on one Postgres'
  if (postgresServerUrl(name) !== undefined) {
    test.each(['tight', 'tightQuota'] as const)(`${name}, the key "%s"`, async (key) => {
      const first = await startGateway({ engine: 'postgres' })
      const second = await startGateway({ beside: first })
      gateways.push(first, second)
      await storm([first, second], key)
    })
  }
})
