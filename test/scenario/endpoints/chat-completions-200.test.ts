import { describe, expect, test } from 'bun:test'
import { grantCredit } from '../../../src/ledger/credits.ts'
import { write } from '../../../src/store/changes/write.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { credentials, type KeyName, windowless } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()

/** 600 new and 400 cached tokens in, 200 out: 1.5 + 0.5 + 2 million nano at factor 1. */
const usage = {
  prompt_tokens: 1_000,
  completion_tokens: 200,
  total_tokens: 1_200,
  prompt_tokens_details: { cached_tokens: 400 },
  completion_tokens_details: { reasoning_tokens: 50 },
}
const replyText = `{ "id":"chatcmpl-1",  "choices":[{"index":0,"message":{"role":"assistant","content":"Grüße 🌍"}}],
 "unknown_field": 1.0e3, "usage": ${JSON.stringify(usage)} }`

describe('a whole answer', () => {
  const rows: {
    key: KeyName
    costNano: bigint
    cost: string
    groupId: string
    at: 'one' | 'two'
  }[] = [
    { key: 'plain', costNano: 4_000_000n, cost: '0.004', groupId: 'default', at: 'one' },
    { key: 'premium', costNano: 6_000_000n, cost: '0.006', groupId: 'premium', at: 'two' },
    { key: 'automatic', costNano: 4_000_000n, cost: '0.004', groupId: 'default', at: 'one' },
    { key: 'reversed', costNano: 6_000_000n, cost: '0.006', groupId: 'premium', at: 'two' },
    { key: 'partlyGone', costNano: 4_000_000n, cost: '0.004', groupId: 'default', at: 'one' },
    { key: 'scoped', costNano: 4_000_000n, cost: '0.004', groupId: 'default', at: 'one' },
    { key: 'quota', costNano: 4_000_000n, cost: '0.004', groupId: 'default', at: 'one' },
    { key: 'expiring', costNano: 4_000_000n, cost: '0.004', groupId: 'default', at: 'one' },
    { key: 'local', costNano: 4_000_000n, cost: '0.004', groupId: 'default', at: 'one' },
    { key: 'imported', costNano: 4_000_000n, cost: '0.004', groupId: 'default', at: 'one' },
  ]

  test.each(rows)(
    'with the key "$key" it is forwarded byte for byte, priced and recorded',
    async (row) => {
      const { ask, money, [row.at]: upstream } = gateway()
      upstream.script('next', {
        kind: 'reply',
        headers: { 'content-type': 'application/json', 'x-request-id': 'req_theirs' },
        body: replyText,
      })
      const before = await money.balance('acme')
      const spentBefore = await money.spentBy(row.key)
      const reply = await ask({
        key: row.key,
        headers: { 'x-client-request-id': 'mine-1' },
        body: chatBody({ max_tokens: 1_000 }),
      })
      expect(reply.status).toBe(200)
      expect(reply.text).toBe(replyText)
      expect(reply.headers.get('content-type')).toBe('application/json')
      expect(reply.headers.get('x-gateway-cost')).toBe(row.cost)
      expect(reply.requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-/)
      expect(reply.headers.get('x-request-id')).toBe(reply.requestId)
      expect(reply.headers.get('request-id')).toBe(reply.requestId)

      expect(await money.entry(reply.requestId)).toMatchObject({
        account_id: 'acme',
        key_id: row.key,
        cost_nano: row.costNano,
        input_tokens: 600,
        cache_read_tokens: 400,
        output_tokens: 200,
        reasoning_tokens: 50,
        usage_source: 'upstream',
        flags: '',
      })
      expect(await money.usageRow(reply.requestId)).toMatchObject({
        account_id: 'acme',
        key_id: row.key,
        model: 'gpt-x',
        protocol: 'chat-completions',
        group_id: row.groupId,
        stream: 0,
        status: 200,
        reason: null,
        cost_nano: row.costNano,
        client_address: '127.0.0.1',
        client_request_id: 'mine-1',
        upstream_id: row.at === 'one' ? 'one' : 'dear',
        upstream_request_id: 'req_theirs',
      })
      expect(before - (await money.balance('acme'))).toBe(row.costNano)
      expect((await money.spentBy(row.key)) - spentBefore).toBe(row.costNano)
    },
  )
})

describe('the request to the upstream', () => {
  test('has the exact bytes of the client, with the credential of the upstream and no header of the client', async () => {
    const { ask, one, keys } = gateway()
    const body = `{"messages" : [{"role":"user","content":"\\u00fc 1.0"}],\n "seed":1e2, "unheard_of":{"a":[1.50]},"model":"gpt-x","max_tokens":5}`
    const reply = await ask({
      key: 'plain',
      headers: {
        cookie: 'session=1',
        'x-api-key': keys.plain,
        'x-forwarded-for': '9.9.9.9',
        'openai-organization': 'org-caller',
      },
      body,
    })
    expect(reply.status).toBe(200)
    const [sent] = one.requests
    expect(sent?.body).toBe(body)
    expect(sent?.path).toBe('/v1/chat/completions')
    expect(sent?.headers['authorization']).toBe(`Bearer ${credentials.one}`)
    expect(sent?.headers['content-type']).toBe('application/json')
    for (const name of ['cookie', 'x-api-key', 'x-forwarded-for', 'openai-organization']) {
      expect(sent?.headers[name]).toBeUndefined()
    }
  })

  test('differs only in the model if the upstream has another name for it', async () => {
    const { ask, one, money } = gateway()
    const body =
      '{"messages":[{"role":"user","content":"\\"model\\":\\"gpt-y\\"","model":"gpt-y"}],\t"model" :  "gpt-y" , "max_tokens":5}'
    const reply = await ask({ key: 'plain', body })
    expect(reply.status).toBe(200)
    expect(one.requests[0]?.body).toBe(
      body.replace('"model" :  "gpt-y"', '"model" :  "their-name-for-y"'),
    )
    expect((await money.usageRow(reply.requestId)).model).toBe('gpt-y')
  })

  test('does not contain the query, which does not change the route', async () => {
    const { ask, one } = gateway()
    const path = '/v1/chat/completions?beta=true&api-version=1'
    expect((await ask({ key: 'plain', path, body: chatBody() })).status).toBe(200)
    expect(one.requests[0]?.path).toBe('/v1/chat/completions')
  })
})

describe('invalid usage', () => {
  const short = { prompt_tokens: 20, completion_tokens: 30, total_tokens: 50 }
  const rows = [
    { name: 'missing', behaviour: { kind: 'no-usage' }, source: 'estimated', flags: 'estimated' },
    {
      name: 'empty',
      behaviour: { kind: 'lie-usage', usage: {} },
      source: 'estimated',
      flags: 'estimated',
    },
    {
      name: 'negative',
      behaviour: { kind: 'lie-usage', usage: { ...short, completion_tokens: -5 } },
      source: 'estimated',
      flags: 'estimated',
    },
    {
      name: 'fractional',
      behaviour: { kind: 'lie-usage', usage: { ...short, prompt_tokens: 1.5 } },
      source: 'estimated',
      flags: 'estimated',
    },
    {
      name: 'text',
      behaviour: { kind: 'lie-usage', usage: { ...short, prompt_tokens: '20' } },
      source: 'estimated',
      flags: 'estimated',
    },
  ] as const

  test.each(rows)('$name: estimated, and marked', async ({ behaviour, source, flags }) => {
    const { ask, one, money } = gateway()
    one.script('next', behaviour)
    const reply = await ask({ key: 'plain', body: chatBody() })
    expect(reply.status).toBe(200)
    const entry = await money.entry(reply.requestId)
    expect(entry).toMatchObject({ usage_source: source, flags })
    expect(entry.cost_nano).toBeGreaterThan(0n)
    expect(entry.input_tokens).toBeGreaterThan(3)
    expect(entry.output_tokens).toBeGreaterThan(3)
    expect(entry.output_tokens).toBeLessThan(100)
  })

  test('usage above the limits of the model is reduced to them, and marked', async () => {
    const { ask, one, money } = gateway()
    one.script('next', {
      kind: 'lie-usage',
      usage: { prompt_tokens: 9e14, completion_tokens: 9e14, total_tokens: 18e14 },
    })
    const reply = await ask({ key: 'plain', body: chatBody() })
    expect(reply.status).toBe(200)
    const entry = await money.entry(reply.requestId)
    expect(entry).toMatchObject({ input_tokens: 128_000, output_tokens: 16_384 })
    expect(entry.usage_source).toBe('clamped')
    expect(entry.flags).toContain('clamped')
    expect(entry.flags).toContain('overage')
  })

  test('an unknown context window still has a bound', async () => {
    const { ask, two, money, engine } = gateway()
    two.script('next', {
      kind: 'lie-usage',
      usage: { prompt_tokens: 9e14, completion_tokens: 1, total_tokens: 9e14 },
    })
    await write(engine, Date.now(), (writing) =>
      grantCredit(writing, {
        id: 'gift',
        accountId: 'acme',
        amountNano: 1_000_000_000_000n,
        source: 'test',
        externalId: 'gift',
        reason: 'for a liar',
        at: Date.now(),
      }),
    )
    const reply = await ask({ key: 'premium', body: chatBody({ model: windowless }) })
    expect(reply.status).toBe(200)
    const entry = await money.entry(reply.requestId)
    expect(entry.usage_source).toBe('clamped')
    expect(entry.input_tokens).toBeLessThanOrEqual(10_000_000)
    expect(entry.cost_nano).toBeLessThan(100_000_000_000n)
  })

  test('a cost above the hold is charged in full and marked', async () => {
    const { ask, one, money } = gateway()
    one.script('next', {
      kind: 'lie-usage',
      usage: { prompt_tokens: 10, completion_tokens: 400, total_tokens: 410 },
    })
    const reply = await ask({ key: 'plain', body: chatBody() })
    expect(await money.entry(reply.requestId)).toMatchObject({
      cost_nano: 4_025_000n,
      usage_source: 'upstream',
      flags: 'overage',
    })
  })

  test('cached tokens beyond the prompt are charged in addition, and the row is flagged', async () => {
    const { ask, one, money } = gateway()
    one.script('next', {
      kind: 'lie-usage',
      usage: {
        prompt_tokens: 10,
        completion_tokens: 1,
        total_tokens: 11,
        prompt_tokens_details: { cached_tokens: 5_000 },
      },
    })
    const reply = await ask({ key: 'plain', body: chatBody() })
    expect(await money.entry(reply.requestId)).toMatchObject({
      input_tokens: 10,
      cache_read_tokens: 5_000,
      cost_nano: 6_285_000n,
      flags: 'inconsistent,overage',
    })
  })
})
