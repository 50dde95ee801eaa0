import { describe, expect, test } from 'bun:test'
import { putAccount } from '../../../src/accounts/account-store.ts'
import { putModel } from '../../../src/catalog/catalog-store.ts'
import { putGroup } from '../../../src/catalog/group-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import type { LimitValues } from '../../../src/core/limits/rate-limit.ts'
import { createKey } from '../../../src/keys/key-store.ts'
import { type Writing, write } from '../../../src/store/changes/write.ts'
import { eventually } from '../../support/eventually.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { expectConsistentRefusal } from '../../support/gateway/expect-consistent-refusal.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { windowless } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

/** A model whose id is the end of that of another one. */
const shortModel = windowless.slice(windowless.indexOf(':') + 1)

const gateway = withGateway({
  extend: (provision) => ({
    ...provision,
    models: provision.models.flatMap((model) =>
      model.id === windowless ? [model, { ...model, id: shortModel }] : [model],
    ),
    upstreams: provision.upstreams.map((upstream) =>
      upstream.models.some(({ model }) => model === windowless)
        ? {
            ...upstream,
            models: [...upstream.models, { model: shortModel, upstreamModel: shortModel }],
          }
        : upstream,
    ),
  }),
})
const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }
const none: LimitValues = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrentRequests: null,
}
const usage = { prompt_tokens: 400, completion_tokens: 600, total_tokens: 1_000 }

type Limited = Partial<LimitValues>

/** Sets limits of an owner; the first settings equal those of the test gateway. */
const owners: readonly {
  readonly owner: string
  readonly text: string
  readonly limit: (writing: Writing, limits: Limited) => Promise<unknown>
}[] = [
  {
    owner: 'account',
    text: 'The account of this API key is limited',
    limit: (writing, limits) =>
      putAccount(writing, Date.now(), { id: 'acme', name: 'Acme', ...limits }),
  },
  {
    owner: 'group',
    text: 'The group of this request is limited',
    limit: (writing, limits) => putGroup(writing, tools, { id: 'default', ...limits }),
  },
  {
    owner: 'model',
    text: 'This model is limited',
    limit: (writing, limits) =>
      putModel(writing, tools, { id: 'gpt-x', displayName: 'gpt-x', ...limits }),
  },
]

async function newKey(
  more: { readonly modelLimits?: readonly (LimitValues & { model: string })[] } = {},
) {
  const { engine, ask } = gateway()
  const { value } = await write(engine, Date.now(), (writing) =>
    createKey(writing, tools, { accountId: 'acme', name: 'plain', groups: ['default'], ...more }),
  )
  const headers = { authorization: `Bearer ${value}` }
  return (body = chatBody(), extra: Record<string, string> = {}) =>
    ask({ headers: { ...headers, ...extra }, body })
}

async function limited(owner: (typeof owners)[number], limits: Limited): Promise<void> {
  const { engine } = gateway()
  await write(engine, Date.now(), (writing) => owner.limit(writing, limits))
}

describe.each(owners.map((each) => [each.owner, each] as const))(
  'the limits of the %s',
  (name, owner) => {
    const cases = [
      { kind: 'requests_per_minute', limits: { requestsPerMinute: 2 }, admitted: 2 },
      { kind: 'tokens_per_minute', limits: { tokensPerMinute: 2_000 }, admitted: 2 },
    ] as const

    test.each(cases)(
      '$kind count the requests of all keys together',
      async ({ kind, limits, admitted }) => {
        const { one, clock } = gateway()
        one.script({}, { kind: 'lie-usage', usage })
        const [first, second] = [await newKey(), await newKey()]
        await limited(owner, limits)
        const explain = { 'x-gateway-explain': 'true' }
        await eventually('the limit is known', async () => {
          const { headers } = await first()
          clock.passTime(120_000)
          return [...headers.keys()].some((header) => header.startsWith('x-ratelimit-limit-'))
        })
        const asked = one.requests.length
        for (let count = 0; count < admitted; count += 1)
          expect((await (count % 2 === 0 ? first : second)()).status).toBe(200)
        for (const ask of [first, second]) {
          const askedMs = clock.nowMs()
          const refused = await ask()
          expectConsistentRefusal(refused, askedMs)
          expect(refused.json).toMatchObject({ error: { limit: `${name}.${kind}` } })
          expect(refused.text).toContain(owner.text)
          expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
          expect((await ask(chatBody(), explain)).text).toContain(owner.text)
        }
        expect(one.requests.length).toBe(asked + admitted)
        await limited(owner, none)
        await eventually('the limit is gone', async () => (await second()).status === 200)
      },
    )

    test('settings without limits leave the limits unchanged', async () => {
      const { engine } = gateway()
      await limited(owner, { requestsPerMinute: 7 })
      await limited(owner, {})
      const table = { account: 'account', group: 'service_group', model: 'model' }[name] ?? ''
      const row = await engine.db
        .selectFrom(table as 'account')
        .select('requests_per_minute')
        .where('id', '=', { account: 'acme', group: 'default', model: 'gpt-x' }[name] ?? '')
        .executeTakeFirst()
      expect(row?.requests_per_minute).toBe(7)
      await limited(owner, none)
    })
  },
)

describe('the limits of a key for one model', () => {
  test('count only that model, and only that key', async () => {
    const { one, two } = gateway()
    for (const upstream of [one, two]) upstream.script({}, { kind: 'lie-usage', usage })
    const narrow = await newKey({
      modelLimits: [{ model: 'gpt-x', ...none, requestsPerMinute: 1 }],
    })
    const wide = await newKey()
    expect((await narrow()).headers.get('x-ratelimit-limit-requests')).toBe('1')
    const refused = await narrow()
    expect(refused.status).toBe(429)
    expect(refused.json).toMatchObject({ error: { limit: 'key_model.requests_per_minute' } })
    expect(refused.text).toContain('limited for this model to 1 request per minute.')
    expect((await wide()).status).toBe(200)
  })

  test('an id with a colon does not share the limits of another id', async () => {
    const { engine, ask } = gateway()
    const pairs = [
      { id: 'team', model: windowless },
      { id: `team:${windowless.slice(0, windowless.indexOf(':'))}`, model: shortModel },
    ]
    const limited = { name: 'colon', groups: ['premium'], accountId: 'acme' }
    for (const { id, model } of pairs) {
      const { value } = await write(engine, Date.now(), (writing) => {
        const modelLimits = [{ model, ...none, requestsPerMinute: 1 }]
        return createKey(writing, tools, { ...limited, modelLimits }, { id })
      })
      const headers = { authorization: `Bearer ${value}` }
      expect((await ask({ headers, body: chatBody({ model }) })).status).toBe(200)
      expect((await ask({ headers, body: chatBody({ model }) })).status).toBe(429)
    }
  })

  test('the strictest of all limits applies, and a refused request takes nothing from the others', async () => {
    const { engine, ask } = gateway()
    const { value } = await write(engine, Date.now(), (writing) =>
      createKey(writing, tools, {
        accountId: 'acme',
        name: 'strict',
        groups: ['default'],
        requestsPerMinute: 100,
        modelLimits: [{ model: 'gpt-x', ...none, requestsPerMinute: 3 }],
      }),
    )
    const headers = { authorization: `Bearer ${value}` }
    const remaining: (string | null)[] = []
    for (let count = 0; count < 8; count += 1) {
      const reply = await ask({ headers, body: chatBody() })
      remaining.push(reply.headers.get('x-ratelimit-remaining-requests'))
      if (count >= 3) expect(reply.status).toBe(429)
    }
    expect(remaining.slice(0, 3)).toEqual(['2', '1', '0'])
  })
})
