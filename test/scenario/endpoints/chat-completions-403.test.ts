import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/wire/json.ts'
import { eventually } from '../../support/eventually.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { startGateway } from '../../support/gateway/start-gateway.ts'
import { type AccountName, credits, type KeyName } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()

interface Refusal {
  readonly why: string
  readonly key: KeyName
  readonly body?: JsonObject
  readonly code: string
  readonly type?: string
  readonly param?: string
  /** The model in the log, as far as it is known by then. */
  readonly model?: string | null
  readonly group?: string | null
}

const quota = 'insufficient_quota'
const refusals: Refusal[] = [
  { why: 'a suspended account', key: 'suspended', code: 'account_suspended', model: null },
  { why: 'an account past its end', key: 'ended', code: 'account_expired', model: null },
  { why: 'another address', key: 'remote', code: 'ip_not_allowed', model: null },
  {
    why: 'a model outside the list',
    key: 'scoped',
    body: { model: 'gpt-y' },
    code: 'model_not_allowed',
    param: 'model',
    model: 'gpt-y',
  },
  {
    why: 'a model outside the list that does not exist',
    key: 'scoped',
    body: { model: 'no-such' },
    code: 'model_not_allowed',
    param: 'model',
    model: 'no-such',
  },
  { why: 'an empty model list', key: 'modelless', code: 'model_not_allowed', param: 'model' },
  { why: 'a deleted group', key: 'gone', code: 'group_not_allowed' },
  {
    why: 'a model without a price',
    key: 'plain',
    body: { model: 'gpt-unpriced' },
    code: 'model_not_priced',
    param: 'model',
    model: 'gpt-unpriced',
  },
  { why: 'no credit', key: 'broke', code: 'insufficient_credit', type: quota, group: 'default' },
  {
    why: 'less credit than the request may cost',
    key: 'tight',
    body: { max_tokens: 5_000 },
    code: 'insufficient_credit',
    type: quota,
    group: 'default',
  },
  {
    why: 'less credit than all the answers may cost',
    key: 'tight',
    body: { n: 100 },
    code: 'insufficient_credit',
    type: quota,
    group: 'default',
  },
  {
    why: 'less quota than the request may cost',
    key: 'tightQuota',
    body: { max_tokens: 5_000 },
    code: 'key_quota_exhausted',
    type: quota,
    group: 'default',
  },
  {
    why: 'an exhausted quota',
    key: 'spentQuota',
    code: 'key_quota_exhausted',
    type: quota,
    group: 'default',
  },
]

describe('refused before anything is sent', () => {
  test.each(refusals)('$why', async (refusal) => {
    const { ask, one, two, money } = gateway()
    const before = await money.counts()
    const reply = await ask({ key: refusal.key, body: chatBody(refusal.body) })
    expect(reply.status).toBe(403)
    expect(reply.json).toEqual({
      error: {
        message: expect.any(String),
        type: refusal.type ?? 'invalid_request_error',
        param: refusal.param ?? null,
        code: refusal.code,
      },
    })
    expect(reply.headers.get('retry-after')).toBeNull()
    expect(await money.usageRow(reply.requestId)).toMatchObject({
      key_id: refusal.key,
      status: 403,
      reason: refusal.code,
      cost_nano: 0n,
      model: refusal.model === undefined ? 'gpt-x' : refusal.model,
      group_id: refusal.group ?? null,
    })
    expect(await money.attempts(reply.requestId)).toEqual([])
    expect([...one.requests, ...two.requests]).toEqual([])
    expect((await money.counts()).entries).toBe(before.entries)
  })
})

describe('the order of the checks', () => {
  const rows: {
    why: string
    key: KeyName
    body: string | JsonObject
    status: number
    code: string
  }[] = [
    {
      why: 'account before body',
      key: 'suspended',
      body: '{',
      status: 403,
      code: 'account_suspended',
    },
    { why: 'address before body', key: 'remote', body: '{', status: 403, code: 'ip_not_allowed' },
    {
      why: 'body before model list',
      key: 'modelless',
      body: '{',
      status: 400,
      code: 'invalid_request',
    },
    {
      why: 'model list before groups',
      key: 'scoped',
      body: chatBody({ model: 'gpt-premium' }),
      status: 403,
      code: 'model_not_allowed',
    },
    {
      why: 'groups before catalogue',
      key: 'gone',
      body: chatBody({ model: 'no-such' }),
      status: 403,
      code: 'group_not_allowed',
    },
    {
      why: 'catalogue before money',
      key: 'broke',
      body: chatBody({ model: 'no-such' }),
      status: 404,
      code: 'model_not_found',
    },
    {
      why: 'price before money',
      key: 'broke',
      body: chatBody({ model: 'gpt-unpriced' }),
      status: 403,
      code: 'model_not_priced',
    },
  ]
  test.each(rows)('$why', async ({ key, body, status, code }) => {
    const reply = await gateway().ask({ key, body })
    expect(reply.status).toBe(status)
    expect(reply.json).toMatchObject({ error: { code } })
  })
})

describe('money that is held by a request in flight', () => {
  const rows: { key: KeyName; account: AccountName }[] = [
    { key: 'tight', account: 'tight' },
    { key: 'tightQuota', account: 'acme' },
  ]
  test.each(rows)('the key "$key" gets Retry-After and can retry', async ({ key, account }) => {
    const { ask, one, money } = gateway()
    const before = await money.balance(account)
    const gate = Promise.withResolvers<void>()
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
    one.script('next', {
      kind: 'events',
      headers: { 'content-type': 'application/json' },
      events: [JSON.stringify({ choices: [], usage })],
      end: 'clean',
      gates: [gate.promise],
    })
    const body = chatBody({ max_tokens: 1_000 })
    const first = ask({ key, body })
    await one.whenRequested(1)

    const second = await ask({ key, body })
    expect(second.status).toBe(403)
    expect(second.json).toMatchObject({ error: { code: 'quota_in_flight' } })
    expect(second.headers.get('retry-after')).toBe('1')
    expect(second.headers.get('x-should-retry')).toBe('true')
    expect(await money.usageRow(second.requestId)).toMatchObject({ reason: 'quota_in_flight' })
    expect(one.requests).toHaveLength(1)

    const never = await ask({ key, body: chatBody({ max_tokens: 16_000 }) })
    expect(never.json).toMatchObject({
      error: { code: key === 'tight' ? 'insufficient_credit' : 'key_quota_exhausted' },
    })
    expect(never.headers.get('x-should-retry')).toBe('false')

    gate.resolve()
    const answered = await first
    expect(answered.status).toBe(200)
    expect((await money.entry(answered.requestId)).cost_nano).toBe(125_000n)
    expect(before - (await money.balance(account))).toBe(125_000n)
    expect((await ask({ key, body })).status).toBe(200)
  })

  test('an account that has spent its credit never becomes negative', async () => {
    const own = await startGateway()
    const { ask, one, money } = own
    const usage = { prompt_tokens: 100, completion_tokens: 900, total_tokens: 1_000 }
    one.script({}, { kind: 'lie-usage', usage })
    const body = chatBody({ max_tokens: 1_000 })
    // The last request may not be settled yet; until then its money counts as held.
    await eventually('the credit is used up', async () => {
      const { json } = await ask({ key: 'tight', body })
      return JSON.stringify(json).includes('"code":"insufficient_credit"')
    })
    const left = await money.balance('tight')
    expect(left).toBeGreaterThan(0n)
    expect(left).toBeLessThan(credits.tight)
    // The rest still pays for a smaller request.
    one.reset()
    expect((await ask({ key: 'tight', body: chatBody({ max_tokens: 20 }) })).status).toBe(200)
    await own.stop()
  })
})
