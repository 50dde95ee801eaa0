import { describe, expect, test } from 'bun:test'
import { type KeyName, windowless } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()

describe('the models that a key sees', () => {
  const rows: { key: KeyName; ids: string[] }[] = [
    { key: 'plain', ids: ['gpt-dead', 'gpt-unpriced', 'gpt-x', 'gpt-y'] },
    { key: 'premium', ids: ['gpt-premium', 'gpt-x', windowless] },
    {
      key: 'automatic',
      ids: ['gpt-dead', 'gpt-premium', 'gpt-unpriced', 'gpt-x', 'gpt-y', windowless],
    },
    { key: 'partlyGone', ids: ['gpt-dead', 'gpt-unpriced', 'gpt-x', 'gpt-y'] },
    { key: 'scoped', ids: ['gpt-x'] },
    { key: 'modelless', ids: [] },
    { key: 'gone', ids: [] },
    { key: 'broke', ids: ['gpt-dead', 'gpt-unpriced', 'gpt-x', 'gpt-y'] },
  ]

  test.each(rows)('$key', async ({ key, ids }) => {
    const { ask, keys, one } = gateway()
    const openai = await ask({ key, path: '/v1/models' })
    expect(openai.status).toBe(200)
    const created = expect.any(Number)
    expect(openai.json).toEqual({
      object: 'list',
      data: ids.map((id) => ({ id, object: 'model', created, owned_by: 'tests' })),
    })

    const headers = { 'x-api-key': keys[key] }
    const anthropic = await ask({ path: '/v1/models', headers })
    expect(anthropic.json).toEqual({
      data: ids.map((id) => ({
        type: 'model',
        id,
        display_name: id.toUpperCase(),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        lifecycle: 'active',
        deprecated_at: null,
        retires_at: null,
        line: null,
        capabilities: null,
        max_input_tokens: id === windowless ? null : 128_000,
        max_tokens: 16_384,
      })),
      first_id: ids.at(0) ?? null,
      last_id: ids.at(-1) ?? null,
      has_more: false,
    })

    const google = await ask({ path: `/v1beta/models?key=${keys[key]}` })
    expect(google.status).toBe(200)
    expect(google.json).toMatchObject({
      models: ids.map((id) => ({ name: `models/${id}`, outputTokenLimit: 16_384 })),
    })
    for (const id of ids) {
      expect((await ask({ key, path: `/v1/models/${id}` })).json).toMatchObject({ id })
    }
    expect(one.requests).toHaveLength(0)
  })
})

describe('the format follows the client', () => {
  const anthropicLike = { has_more: false }
  const openaiLike = { object: 'list' }
  const rows: [string, (key: string) => Record<string, string>, object][] = [
    ['a bearer token', (key) => ({ authorization: `Bearer ${key}` }), openaiLike],
    ['x-api-key', (key) => ({ 'x-api-key': key }), anthropicLike],
    [
      'a version header',
      (key) => ({ authorization: `Bearer ${key}`, 'anthropic-version': '2023-06-01' }),
      anthropicLike,
    ],
    [
      'the neutral version header',
      (key) => ({ authorization: `Bearer ${key}`, 'vendor-version': '2023-06-01' }),
      anthropicLike,
    ],
    ['x-goog-api-key', (key) => ({ 'x-goog-api-key': key }), openaiLike],
  ]
  test.each(rows)('%s', async (_, headersOf, like) => {
    const { ask, keys } = gateway()
    const reply = await ask({ path: '/v1/models', headers: headersOf(keys.plain) })
    expect(reply.json).toMatchObject(like)
  })
})

describe('pages', () => {
  test('in the format of messages', async () => {
    const { ask, keys } = gateway()
    const headers = { 'x-api-key': keys.automatic }
    const page = async (query: string) => {
      const { json } = await ask({ path: `/v1/models?${query}`, headers })
      return json
    }
    expect(await page('limit=2')).toMatchObject({ last_id: 'gpt-premium', has_more: true })
    expect(await page('limit=2&after_id=gpt-premium')).toMatchObject({
      first_id: 'gpt-unpriced',
      last_id: 'gpt-x',
      has_more: true,
    })
    expect(await page('limit=2&after_id=gpt-x')).toMatchObject({
      first_id: 'gpt-y',
      has_more: false,
    })
    expect(await page('limit=2&before_id=gpt-x')).toMatchObject({
      first_id: 'gpt-premium',
      last_id: 'gpt-unpriced',
      has_more: true,
    })
    for (const limit of ['0', '1001', 'x', '1.5', '-1']) {
      const refused = await ask({ path: `/v1/models?limit=${limit}`, headers })
      expect(refused.status).toBe(400)
      expect(refused.json).toMatchObject({
        type: 'error',
        error: { type: 'invalid_request_error' },
      })
    }
  })

  test('in the format of generate-content', async () => {
    const { ask } = gateway()
    const first = await ask({ key: 'automatic', path: '/v1beta/models?pageSize=3' })
    expect(first.json['models']).toHaveLength(3)
    const token = String(first.json['nextPageToken'])
    const second = await ask({
      key: 'automatic',
      path: `/v1beta/models?pageSize=3&pageToken=${token}`,
    })
    expect(second.json).toMatchObject({
      models: ['gpt-x', 'gpt-y', windowless].map((id) => ({ name: `models/${id}` })),
    })
    expect(second.json['nextPageToken']).toBeUndefined()
    const refused = await ask({ key: 'automatic', path: '/v1beta/models?pageSize=x' })
    expect(refused.status).toBe(400)
    expect(refused.json).toMatchObject({ error: { status: 'INVALID_ARGUMENT' } })
  })
})

describe('one model', () => {
  test('in the three formats', async () => {
    const { ask, keys } = gateway()
    const openai = await ask({ key: 'plain', path: '/v1/models/gpt-x' })
    expect(openai.json).toMatchObject({ id: 'gpt-x', object: 'model' })
    const headers = { 'x-api-key': keys.plain }
    const anthropic = await ask({ path: '/v1/models/gpt-x', headers })
    expect(anthropic.json).toMatchObject({ id: 'gpt-x', type: 'model' })
    const google = await ask({ key: 'plain', path: '/v1beta/models/gpt-x' })
    expect(google.json).toMatchObject({ name: 'models/gpt-x' })
    const encoded = encodeURIComponent(windowless)
    const odd = await ask({ key: 'premium', path: `/v1beta/models/${encoded}` })
    expect(odd.json).toMatchObject({ name: `models/${windowless}` })
  })

  const hidden: { key: KeyName; id: string }[] = [
    { key: 'plain', id: 'no-such' },
    { key: 'plain', id: 'gpt-premium' },
    { key: 'scoped', id: 'gpt-y' },
    { key: 'modelless', id: 'gpt-x' },
    { key: 'plain', id: '%ff' },
    { key: 'plain', id: 'a%2Fb/c' },
  ]
  test.each(hidden)('$id is hidden from $key', async ({ key, id }) => {
    const { ask, keys } = gateway()
    const openai = await ask({ key, path: `/v1/models/${id}` })
    expect(openai.status).toBe(404)
    expect(openai.json).toMatchObject({ error: { code: 'model_not_found', param: 'model' } })
    const anthropic = await ask({ path: `/v1/models/${id}`, headers: { 'x-api-key': keys[key] } })
    expect(anthropic.json).toMatchObject({ type: 'error', error: { type: 'not_found_error' } })
    const google = await ask({ key, path: `/v1beta/models/${id}` })
    expect(google.json).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } })
  })
})

describe('who may list models', () => {
  const rows: { key: KeyName | undefined; status: number; code: string }[] = [
    { key: undefined, status: 401, code: 'invalid_token' },
    { key: 'disabled', status: 401, code: 'invalid_token' },
    { key: 'expired', status: 401, code: 'invalid_token' },
    { key: 'suspended', status: 403, code: 'account_suspended' },
    { key: 'ended', status: 403, code: 'account_expired' },
    { key: 'remote', status: 403, code: 'ip_not_allowed' },
  ]
  test.each(rows)('$key: $code', async ({ key, status, code }) => {
    const { ask } = gateway()
    for (const path of ['/v1/models', '/v1/models/gpt-x']) {
      const reply = await ask({ key, path })
      expect(reply.status).toBe(status)
      expect(reply.json).toMatchObject({ error: { code } })
    }
    const google = await ask({ key, path: '/v1beta/models' })
    expect(google.status).toBe(status)
    expect(google.text).toContain(code)
  })

  test('a key in the query of /v1beta counts like one in a header, and two different keys are refused', async () => {
    const { ask, keys } = gateway()
    expect((await ask({ path: `/v1beta/models?key=${keys.plain}` })).status).toBe(200)
    const path = `/v1beta/models?key=${keys.other}`
    expect((await ask({ key: 'other', path })).status).toBe(200)
    expect((await ask({ key: 'plain', path })).status).toBe(401)
    expect((await ask({ path: `/v1/models?key=${keys.plain}` })).status).toBe(401)
  })
})

describe('the log', () => {
  const rows = [
    { name: 'a list', key: 'plain', path: '/v1/models', status: 200, reason: null, model: null },
    {
      name: 'one model',
      key: 'plain',
      path: '/v1/models/gpt-x',
      status: 200,
      reason: null,
      model: 'gpt-x',
    },
    {
      name: 'a missing model',
      key: 'plain',
      path: '/v1beta/models/nope',
      status: 404,
      reason: 'model_not_found',
      model: 'nope',
    },
  ] as const

  test.each(rows)(
    'has one row for $name, free of charge',
    async ({ key, path, status, reason, model }) => {
      const { ask, money } = gateway()
      const reply = await ask({ key, path })
      expect(reply.status).toBe(status)
      const row = await money.usageRow(reply.requestId)
      expect(row).toMatchObject({ status, reason, model, cost_nano: 0n })
    },
  )
})
