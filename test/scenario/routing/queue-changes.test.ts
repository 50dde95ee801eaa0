import { afterEach, describe, expect, test } from 'bun:test'
import { changeAccount } from '../../../src/accounts/account-store.ts'
import { putGrants } from '../../../src/catalog/group-store.ts'
import { putUpstream, removeUpstream } from '../../../src/catalog/upstream-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { complete } from '../../../src/fields/definition.ts'
import { keyDefinition } from '../../../src/keys/definition/key.ts'
import { deleteKey } from '../../../src/keys/delete-key.ts'
import { setKeyEnabled, updateKey } from '../../../src/keys/key-store.ts'
import { type Writing, write } from '../../../src/store/changes/write.ts'
import { eventually } from '../../support/eventually.ts'
import { startGateway, type TestGateway } from '../../support/gateway/start-gateway.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { credentials } from '../../support/gateway/test-provision.ts'
import { expectOrder } from '../../support/gateway/with-gateway.ts'
import {
  body,
  holdBack,
  occupy,
  queue,
  untilWaiting,
  usage,
  withPriorities,
} from './queue-helpers.ts'

const started: TestGateway[] = []
afterEach(async () => {
  for (const gateway of started.splice(0)) await gateway.stop()
})

async function start(): Promise<TestGateway> {
  const gateway = await startGateway({ extend: withPriorities, queue })
  started.push(gateway)
  gateway.one.script({}, { kind: 'lie-usage', usage })
  return gateway
}

const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }
const keyId = 'other'
const keyOf = (settings: object) =>
  complete(keyDefinition, { accountId: 'acme', name: keyId, groups: ['default'], ...settings })
const capped = ({ one }: TestGateway, settings: object) => ({
  id: 'capped',
  vendor: 'openai-compatible',
  protocol: 'chat-completions',
  baseUrl: `${one.url}/v1`,
  concurrencyMax: 1,
  ...settings,
})

interface Change {
  readonly what: string
  readonly make: (writing: Writing, at: TestGateway) => Promise<unknown>
  readonly status: number
  readonly code: string
}

const changes: readonly Change[] = [
  {
    what: 'its key is disabled',
    make: (writing) => setKeyEnabled(writing, keyId, false),
    status: 401,
    code: 'invalid_token',
  },
  {
    what: 'its key is deleted',
    make: (writing) => deleteKey(writing, keyId, Date.now()),
    status: 401,
    code: 'invalid_token',
  },
  {
    what: 'its key expires',
    make: (writing) => updateKey(writing, keyId, keyOf({ expiresAt: Date.now() - 1 })),
    status: 401,
    code: 'invalid_token',
  },
  {
    what: 'its key may no longer call the model',
    make: (writing) => updateKey(writing, keyId, keyOf({ models: ['gpt-x'] })),
    status: 403,
    code: 'model_not_allowed',
  },
  {
    what: 'its key may no longer be used from its address',
    make: (writing) => updateKey(writing, keyId, keyOf({ addresses: ['203.0.113.0/24'] })),
    status: 403,
    code: 'ip_not_allowed',
  },
  {
    what: 'its key gets another group',
    make: (writing) => updateKey(writing, keyId, keyOf({ groups: ['premium'] })),
    status: 503,
    code: 'no_upstream_available',
  },
  {
    what: 'its account is suspended',
    make: (writing) => changeAccount(writing, 'acme', { status: 'suspended' }),
    status: 403,
    code: 'account_suspended',
  },
  {
    what: 'the group is granted to other accounts only',
    make: (writing) => putGrants(writing, 'default', [{ accountId: 'tight', until: null }]),
    status: 503,
    code: 'no_upstream_available',
  },
  {
    what: 'the upstream is disabled',
    make: (writing, at) => putUpstream(writing, tools, capped(at, { isEnabled: false })),
    status: 503,
    code: 'no_upstream_available',
  },
  {
    what: 'the upstream is removed',
    make: (writing) => removeUpstream(writing, 'capped'),
    status: 503,
    code: 'no_upstream_available',
  },
  {
    what: 'the upstream moves to another host',
    make: (writing, at) => putUpstream(writing, tools, capped(at, { baseUrl: `${at.two.url}/v1` })),
    status: 503,
    code: 'no_upstream_available',
  },
  {
    what: 'the credential is disabled',
    make: (writing, at) => {
      const given = [{ name: 'first', value: credentials.one, isEnabled: false }]
      return putUpstream(writing, tools, capped(at, { credentials: given }))
    },
    status: 503,
    code: 'no_upstream_available',
  },
]

describe('a request that waits for an upstream', () => {
  test.each(changes)('is refused when its turn comes if $what', async (change) => {
    const at = await start()
    const { ask, one, two, money, engine, node } = at
    const { running, release } = await occupy(at)
    const waiting = ask({ key: keyId, body: body() })
    await untilWaiting(at, 1)
    await write(engine, Date.now(), (writing) => change.make(writing, at))
    await node.follower.catchUp()
    release()
    // What runs already is not affected.
    expect((await running).status).toBe(200)
    const refused = await waiting
    expect(refused.status).toBe(change.status)
    expect(refused.json).toMatchObject({ error: { code: change.code } })
    expect([one.requests.length, two.requests.length]).toEqual([1, 0])
    expect(node.routing.health.viewOf('capped').inFlight).toBe(0)
    const row = await money.usageRow(refused.requestId)
    expect(row).toMatchObject({ status: change.status, reason: change.code, cost_nano: 0n })
    expect(row.queued_ms).toBe(Number(refused.headers.get('x-gateway-queue-ms')))
    expect((await money.entry(refused.requestId)).cost_nano).toBe(0n)
    await expectOrder(at)
  })

  test('is sent with the new value of a credential that is replaced', async () => {
    const at = await start()
    const { ask, one, engine, node } = at
    const { running, release } = await occupy(at)
    const waiting = ask({ key: keyId, body: body() })
    await untilWaiting(at, 1)
    const given = [{ name: 'first', value: credentials.two }]
    await write(engine, Date.now(), (writing) =>
      putUpstream(writing, tools, capped(at, { credentials: given })),
    )
    await node.follower.catchUp()
    release()
    expect([(await running).status, (await waiting).status]).toEqual([200, 200])
    const sent = one.requests.map(({ headers }) => headers['authorization'])
    expect(sent).toEqual([`Bearer ${credentials.one}`, `Bearer ${credentials.two}`])
    await expectOrder(at)
  })
})

test('a limit of the credential that is set while a request waits applies to it', async () => {
  const at = await start()
  const { ask, money, engine, node } = at
  const { running, release } = await occupy(at)
  const asked = ['first', 'second'].map((user) => ask({ key: keyId, body: body({ user }) }))
  await untilWaiting(at, 2)
  const given = [{ name: 'first', value: credentials.one, requestsPerMinute: 1 }]
  await write(engine, Date.now(), (writing) =>
    putUpstream(writing, tools, capped(at, { credentials: given })),
  )
  await node.follower.catchUp()
  release()
  expect((await running).status).toBe(200)
  const replies = await Promise.all(asked)
  expect(replies.map(({ status }) => status)).toEqual([200, 429])
  const [skipped] = await money.attempts(replies[1]?.requestId ?? '')
  expect(skipped).toMatchObject({ reason: 'credential_limited' })
  await expectOrder(at)
})

test('a wait for a full upstream ends with 503, not with the wait of a used-up credential', async () => {
  const at = await start()
  const { ask, clock, engine, node, one, two } = at
  const given = [{ name: 'first', value: credentials.one, requestsPerMinute: 1 }]
  const pair = { ...capped(at, { credentials: given }), id: 'pair-one' }
  await write(engine, Date.now(), (writing) => putUpstream(writing, tools, pair))
  await node.follower.catchUp()
  const request = () => ask({ key: keyId, body: body({ model: 'gpt-pair' }) })
  expect((await request()).status).toBe(200)
  const release = holdBack(two)
  const running = request()
  await two.whenRequested(1)
  // So that the credential is asked again.
  clock.passTime(1_000)
  const waiting = request()
  await untilWaiting(at, 1)
  clock.passTime(queue.waitMs)
  const refused = await waiting
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(refused.text).toContain('have reached a limit. Try again.')
  expect(one.requests.length).toBe(1)
  release()
  expect((await running).status).toBe(200)
  await expectOrder(at)
})

describe('upstreams that are full', () => {
  test.each(['gpt-capped', 'gpt-pair'])('still count the tokens of a prompt: %s', async (model) => {
    const at = await start()
    const { ask, one, two, money } = at
    const pair = model === 'gpt-pair' ? [one, two] : [one]
    const releases = pair.map((each) => holdBack(each))
    const running = []
    for (const each of pair) {
      running.push(ask({ key: 'plain', body: body({ model }) }))
      await each.whenRequested(1)
    }
    const messages = [{ role: 'user', content: 'Hello' }]
    const counted = await ask({
      key: keyId,
      path: '/v1/messages/count_tokens',
      body: { model, messages },
    })
    expect(counted.status).toBe(200)
    expect(counted.json['input_tokens']).toBeGreaterThan(0)
    expect(await money.usageRow(counted.requestId)).toMatchObject({ status: 200, queued_ms: null })
    const headers = { 'x-gateway-explain': 'true' }
    const explained = await ask({
      key: keyId,
      path: '/v1/messages/count_tokens',
      body: { model, messages },
      headers,
    })
    expect(explained.json['queue']).toBeUndefined()
    for (const release of releases) release()
    for (const reply of await Promise.all(running)) expect(reply.status).toBe(200)
    await expectOrder(at)
  })
})

describe('the time limit of the upstream', () => {
  test('limits the wait to its half, and the explanation says so', async () => {
    const at = await start()
    const { ask, clock, engine, node } = at
    await write(engine, Date.now(), (writing) =>
      putUpstream(writing, tools, capped(at, { timeouts: { wholeMs: 10_000, totalMs: 40_000 } })),
    )
    await node.follower.catchUp()
    const { running, release } = await occupy(at)
    const explain = { 'x-gateway-explain': 'true' }
    const explained = async (stream: boolean) =>
      (await ask({ key: keyId, body: body({ stream }), headers: explain })).json['queue']
    expect(await explained(false)).toMatchObject({ would_wait: true, seconds_max: 5 })
    expect(await explained(true)).toMatchObject({ would_wait: true, seconds_max: 20 })
    const waiting = ask({ key: keyId, body: body() })
    await untilWaiting(at, 1)
    clock.passTime(5_000)
    expect((await waiting).status).toBe(503)
    release()
    expect((await running).status).toBe(200)
    await expectOrder(at)
  })
})

describe('a retry that waits for another upstream', () => {
  test('may wait for one that was full already when the request came', async () => {
    const at = await start()
    const { ask, one, two, money } = at
    const releaseOne = holdBack(one)
    const first = ask({ key: 'plain', body: body({ model: 'gpt-pair' }) })
    await one.whenRequested(1)
    two.script('next', { kind: 'status', status: 500 })
    const retried = ask({ key: keyId, body: body({ model: 'gpt-pair' }) })
    await untilWaiting(at, 1)
    expect([one.requests.length, two.requests.length]).toEqual([1, 1])
    releaseOne()
    expect([(await first).status, (await retried).status]).toEqual([200, 200])
    expect([one.requests.length, two.requests.length]).toEqual([2, 1])
    const [failed, served] = await money.attempts((await retried).requestId)
    expect(failed).toMatchObject({ upstream_id: 'pair-two', reason: 'upstream_error' })
    expect(served).toMatchObject({ upstream_id: 'pair-one', reason: null })
    expect(await money.counts()).toEqual({ entries: 2, rows: 2 })
    await expectOrder(at)
  })

  test('is logged as disconnected if its client leaves, and nothing is charged', async () => {
    const at = await start()
    const { ask, open, one, two, engine, node } = at
    const releaseTwo = holdBack(two)
    const failing = Promise.withResolvers<void>()
    const gates = [failing.promise]
    one.script('next', { kind: 'events', status: 500, events: ['{}'], end: 'clean', gates })
    const leaving = new AbortController()
    const pair = body({ model: 'gpt-pair' })
    const asked = open({ key: keyId, body: pair, signal: leaving.signal })
    asked.catch(() => undefined)
    await one.whenRequested(1)
    const second = ask({ key: 'plain', body: pair })
    await two.whenRequested(1)
    failing.resolve()
    await untilWaiting(at, 1)
    leaving.abort()
    await untilWaiting(at, 0)
    releaseTwo()
    expect((await second).status).toBe(200)
    await eventually('both are settled', () => node.ledger.openHolds === 0)
    await node.ledger.shipped()
    expect([one.requests.length, two.requests.length]).toEqual([1, 1])
    const rows = await engine.db
      .selectFrom('usage_row')
      .select(['status', 'reason', 'cost_nano'])
      .where('key_id', '=', keyId)
      .execute()
    expect(rows).toEqual([{ status: 499, reason: 'client_gone', cost_nano: 0n }])
    await expectOrder(at)
  })
})
