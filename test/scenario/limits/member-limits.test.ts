import { beforeAll, describe, expect, test } from 'bun:test'
import { putAccount } from '../../../src/accounts/account-store.ts'
import { createUser } from '../../../src/accounts/create-user.ts'
import { putMember, removeMember } from '../../../src/accounts/member-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import type { LimitValues } from '../../../src/core/limits/rate-limit.ts'
import { createKey } from '../../../src/keys/key-store.ts'
import { grantCredit } from '../../../src/ledger/credits.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { eventually } from '../../support/eventually.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()
const nowMs = Date.now()
const tools = { vault: testVault, random: systemRandom, nowMs: () => nowMs }

beforeAll(async () => {
  await write(gateway().engine, nowMs, async (writing) => {
    await putAccount(writing, nowMs, { id: 'globex', name: 'Globex' })
    await grantCredit(writing, {
      id: 'credit-globex',
      source: 'test',
      at: nowMs,
      accountId: 'globex',
      amountNano: 10_000_000_000n,
      reason: 'test',
      externalId: 'test-globex',
    })
  })
})

type Ask = (
  body?: JsonObject,
  path?: string,
  more?: Record<string, string>,
) => ReturnType<ReturnType<typeof gateway>['ask']>

/** A new member of `acme` with these limits, and functions that create keys of this member and of others. */
async function memberWith(limits: Partial<LimitValues>) {
  const { engine, ask } = gateway()
  const userId = await write(engine, nowMs, async (writing) => {
    const email = `${crypto.randomUUID()}@example.com`
    const made = { email, role: 'member', proof: 'operator' } as const
    const id = await createUser(writing, userTools, made)
    await putMember(writing, { userId: id, accountId: 'acme', role: 'member', ...limits })
    await putMember(writing, { userId: id, accountId: 'globex', role: 'member' })
    return id
  })
  const keyIn = async (accountId: string, ownerId: string | null): Promise<Ask> => {
    const { value } = await write(engine, nowMs, (writing) =>
      createKey(writing, tools, { accountId, ownerId, name: 'personal', groups: ['default'] }),
    )
    const headers = { authorization: `Bearer ${value}` }
    return (body = chatBody(), path = '/v1/chat/completions', more = {}) =>
      ask({ headers: { ...headers, ...more }, body, path })
  }
  const change = (next: Partial<LimitValues>) =>
    write(engine, nowMs, (writing) => putMember(writing, { userId, accountId: 'acme', ...next }))
  return { userId, change, ownKey: () => keyIn('acme', userId), keyIn }
}
const userTools = { random: systemRandom, nowMs }

const message = { role: 'user', content: 'Good morning' }
const clients = [
  ['chat-completions', '/v1/chat/completions', chatBody()],
  ['responses', '/v1/responses', { model: 'gpt-x', input: 'Good morning', max_output_tokens: 9 }],
  ['messages', '/v1/messages', { model: 'gpt-x', messages: [message], max_tokens: 9 }],
  [
    'generate-content',
    '/v1beta/models/gpt-x:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'Good morning' }] }] },
  ],
] as const

describe('the rate limits of a member', () => {
  test.each(clients)(
    'in %s: count all keys of the member, and name the limit',
    async (_, path, body) => {
      const { one, money } = gateway()
      const { ownKey } = await memberWith({ requestsPerMinute: 2 })
      const [first, second] = [await ownKey(), await ownKey()]
      expect((await first(body, path)).status).toBe(200)
      expect((await second(body, path)).status).toBe(200)
      const asked = one.requests.length
      for (const ask of [first, second]) {
        const refused = await ask(body, path)
        expect(refused.status).toBe(429)
        expect(refused.text).toContain('"member.requests_per_minute"')
        expect(refused.text).toContain(
          'The owner of this API key is limited to 2 requests per minute',
        )
        expect(refused.text).toContain('ask an owner of the account for a higher limit')
        const retryAfter = Number(refused.headers.get('retry-after'))
        expect(retryAfter > 0 && retryAfter <= 30).toBe(true)
        expect(await money.usageRow(refused.requestId)).toMatchObject({ cost_nano: 0n })
        const explained = await ask(body, path, { 'x-gateway-explain': 'true' })
        expect(explained.text).toContain('The owner of this API key is limited')
      }
      expect(one.requests.length).toBe(asked)
    },
  )

  test('do not count service keys, keys of others, or keys of the same user in another account', async () => {
    const { ownKey, keyIn, userId } = await memberWith({ requestsPerMinute: 1 })
    const own = await ownKey()
    const other = await (await memberWith({})).ownKey()
    const unlimited = [await keyIn('acme', null), other, await keyIn('globex', userId)]
    expect((await own()).status).toBe(200)
    expect((await own()).status).toBe(429)
    for (const ask of unlimited) {
      for (let times = 0; times < 3; times += 1) {
        const reply = await ask()
        expect(reply.status).toBe(200)
        expect(reply.headers.get('x-ratelimit-limit-requests')).toBeNull()
      }
    }
  })

  test('concurrent requests are shared by the keys of the member', async () => {
    const { one } = gateway()
    const gate = Promise.withResolvers<void>()
    const { ownKey } = await memberWith({ concurrentRequests: 1 })
    const [first, second] = [await ownKey(), await ownKey()]
    one.script(
      {},
      {
        kind: 'events',
        headers: { 'content-type': 'application/json' },
        events: [
          JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }),
        ],
        end: 'clean',
        gates: [gate.promise],
      },
    )
    const running = first()
    await one.whenRequested(1)
    const refused = await second()
    expect(refused.status).toBe(429)
    expect(refused.json).toMatchObject({ error: { limit: 'member.concurrent_requests' } })
    gate.resolve()
    expect((await running).status).toBe(200)
    await eventually('the place is free', async () => (await second()).status === 200)
  })

  test('a change, also to no limit, applies to keys in use; the keys of a former member stop', async () => {
    const { engine } = gateway()
    const { ownKey, change, userId } = await memberWith({})
    const ask = await ownKey()
    expect((await ask()).headers.get('x-ratelimit-limit-tokens')).toBeNull()
    await change({ tokensPerMinute: 500_000 })
    await eventually(
      'the limit is known',
      async () => (await ask()).headers.get('x-ratelimit-limit-tokens') === '500000',
    )
    await change({ tokensPerMinute: null })
    await eventually(
      'the limit is gone',
      async () => (await ask()).headers.get('x-ratelimit-limit-tokens') === null,
    )
    await write(engine, nowMs, (writing) => removeMember(writing, { userId, accountId: 'acme' }))
    await eventually('the key has stopped', async () => (await ask()).status === 401)
  })
})
