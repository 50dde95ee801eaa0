import { describe, expect, test } from 'bun:test'
import { isObject } from '../../../src/wire/json.ts'
import { chatBody, type Reply } from '../../support/gateway/ask.ts'
import { chunk, roleChunk } from '../../support/gateway/chat-events.ts'
import { withRouting } from '../../support/gateway/routing-provision.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { waitOut } from '../../support/gateway/wait-out.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { testProtocols } from '../../support/protocols/test-protocols.ts'

const gateway = withGateway({ extend: withRouting })
const headers = { 'x-gateway-explain': 'true' }
/** The header of the console for an operator. */
const asOperator = () => ({ 'x-gateway-explain': gateway().node.operatorToken })

describe('a request with x-gateway-explain', () => {
  test.each(Object.values(testProtocols))(
    '$name: nothing is sent, held or charged',
    async ({ client }) => {
      const { ask, one, two, money } = gateway()
      const before = await money.counts()
      const balance = await money.balance('acme')
      for (const isStream of [false, true]) {
        const reply = await ask({
          key: 'plain',
          path: client.path('gpt-x', isStream),
          headers,
          body: client.body('gpt-x', isStream),
        })
        expect(reply.status).toBe(200)
        expect(reply.headers.get('content-type')).toBe('application/json')
        expect(reply.json).toMatchObject({
          object: 'explanation',
          request_id: reply.requestId,
          forwarded: false,
          charged: false,
          model: 'gpt-x',
          stream: isStream,
          tried: [
            { group: 'default', model: 'gpt-x', why: 'priority' },
            { group: 'default', model: 'gpt-x', why: 'priority' },
          ],
          left_out: [],
          hold: { dollars: expect.stringMatching(/^0\.\d+$/) },
          prices: [{ group: 'default', factor: 1, model: 'gpt-x', input: '2.50', output: '10.00' }],
        })
        expect(reply.json['checks']).toEqual(
          expect.arrayContaining([{ check: 'body', passed: true }]),
        )
        expect(await money.usageRow(reply.requestId)).toMatchObject({
          status: 200,
          reason: 'explained',
          model: 'gpt-x',
          cost_nano: 0n,
        })
      }
      expect([...one.requests, ...two.requests]).toHaveLength(0)
      expect((await money.counts()).entries).toBe(before.entries)
      expect(await money.balance('acme')).toBe(balance)
    },
  )

  test('lists excluded routes with the reason', async () => {
    const { ask, one } = gateway()
    one.script({}, { kind: 'status', status: 500 })
    for (let round = 0; round < 5; round += 1) await ask({ key: 'automatic', body: chatBody() })
    const member = await ask({ key: 'automatic', headers, body: chatBody() })
    expect(member.json).toMatchObject({
      tried: [{ group: 'default' }, { group: 'premium' }],
      left_out: [{ group: 'default', code: 'unavailable', routes: 1 }],
    })
    const { json } = await ask({ key: 'automatic', headers: asOperator(), body: chatBody() })
    expect(json).toMatchObject({
      tried: [
        { group: 'default', upstream: 'two' },
        { group: 'premium', upstream: 'dear' },
      ],
      left_out: [
        { group: 'default', upstream: 'one', why: expect.stringMatching(/^breaker open until 20/) },
      ],
      prices: [{ factor: 1 }, { group: 'premium', factor: 1.5 }],
    })
  })

  test.each(Object.values(testProtocols))(
    '$name: only an operator sees upstreams, their models and credential hints',
    async ({ client }) => {
      const { ask } = gateway()
      for (const [key, model] of [
        ['plain', 'gpt-x'],
        ['automatic', 'gpt-x'],
        ['any', viaModel('messages')],
      ] as const) {
        const body = client.body(model, false)
        const path = client.path(model, false)
        const operator = await ask({ key, path, headers: asOperator(), body })
        const steps = listOf(operator.json['tried'])
        expect(steps.length).toBeGreaterThan(0)
        const member = await ask({ key, path, headers, body })
        const told = JSON.stringify([member.json['tried'], member.json['left_out']])
        for (const step of steps) {
          expect(step).toMatchObject({
            upstream: expect.any(String),
            credential: expect.anything(),
          })
          for (const name of ['upstream', 'credential'])
            expect(told).not.toContain(JSON.stringify(step[name]))
        }
        const names = new Set(listOf(member.json['tried']).flatMap((each) => Object.keys(each)))
        expect([...names].sort()).toEqual(['group', 'model', 'why'])
        expect(told).not.toContain('127.0.0.1')
      }
    },
  )

  test('names the check that fails, without an error status', async () => {
    const { ask } = gateway()
    const rows = [
      ['scoped', chatBody({ model: 'gpt-y' }), 'model_not_allowed'],
      ['plain', chatBody({ model: 'no-such' }), 'model_not_found'],
      ['plain', chatBody({ model: 'gpt-unpriced' }), 'model_not_priced'],
      ['plain', '{"model":', 'invalid_request'],
      ['suspended', chatBody(), 'account_suspended'],
      ['remote', chatBody(), 'ip_not_allowed'],
      ['gone', chatBody(), 'group_not_allowed'],
    ] as const
    for (const [key, body, code] of rows) {
      const reply = await ask({ key, headers, body })
      expect(reply.status).toBe(200)
      const checks = reply.json['checks']
      expect(Array.isArray(checks) ? checks.at(-1) : undefined).toMatchObject({
        passed: false,
        code,
      })
      expect(reply.json['tried']).toBeUndefined()
    }
  })

  test('reveals nothing to an unknown key', async () => {
    const { ask } = gateway()
    const reply = await ask({ key: 'disabled', headers, body: chatBody() })
    expect(reply.status).toBe(401)
    expect(reply.text).not.toContain('explanation')
  })

  test('another value of the header has no effect', async () => {
    const { ask, one } = gateway()
    const reply = await ask({
      key: 'plain',
      headers: { 'x-gateway-explain': 'no' },
      body: chatBody(),
    })
    expect(reply.json['object']).not.toBe('explanation')
    expect(one.requests).toHaveLength(1)
    expect(one.requests[0]?.headers['x-gateway-explain']).toBeUndefined()
    const { operatorToken } = gateway().node
    for (const word of [`${operatorToken}x`, operatorToken.slice(1), operatorToken.toUpperCase()]) {
      const guessed = await ask({
        key: 'plain',
        headers: { 'x-gateway-explain': word },
        body: chatBody(),
      })
      expect(guessed.json['object']).not.toBe('explanation')
    }
  })
})

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** The result of the last check. */
function lastCheck({ json }: Reply): unknown {
  const checks = json['checks']
  return Array.isArray(checks) ? checks.at(-1) : undefined
}

describe('the money of an explained request', () => {
  const whole = chatBody({ model: viaModel('chat-completions'), max_tokens: 16_384 })

  test('shows the available amount, and that the hold would be granted', async () => {
    const { ask, engine } = gateway()
    const rows = [
      ['plain', null],
      ['quota', '0.05'],
    ] as const
    for (const [key, quota] of rows) {
      const before = await engine.db.selectFrom('account').selectAll().execute()
      const leases = await engine.db.selectFrom('lease').selectAll().execute()
      const reply = await ask({ key, headers, body: chatBody() })
      expect(lastCheck(reply)).toEqual({ check: 'credit and quota', passed: true })
      expect(reply.json['hold']).toMatchObject({ granted: true, key_available: quota })
      // A key may be in other hands than the account, so the response does not show the balance of the account.
      expect(reply.text).not.toMatch(/account_available|"2\d\.\d{2,}"/)
      expect(await engine.db.selectFrom('account').selectAll().execute()).toEqual(before)
      expect(await engine.db.selectFrom('lease').selectAll().execute()).toEqual(leases)
    }
  })

  test.each([
    ['broke', 'insufficient_credit'],
    ['spentQuota', 'key_quota_exhausted'],
  ] as const)('%s: the very refusal that it would get', async (key, code) => {
    const { ask } = gateway()
    const refused = await ask({ key, body: chatBody() })
    const told = await ask({ key, headers, body: chatBody() })
    expect(refused.status).toBe(403)
    expect(told.status).toBe(200)
    const error = refused.json['error']
    expect(error).toMatchObject({ code })
    expect(lastCheck(told)).toMatchObject({
      check: 'credit and quota',
      passed: false,
      code,
      message: isObject(error) ? error['message'] : '',
    })
    expect(told.json).toMatchObject({ hold: { granted: false }, tried: [{ group: 'default' }, {}] })
  })

  test('money that requests in flight hold comes back', async () => {
    const { ask, open, one } = gateway()
    one.script('next', { kind: 'events', events: [roleChunk(), chunk('a')], end: 'stall' })
    const body = { ...whole, max_tokens: 1_200 }
    const leaving = new AbortController()
    const { signal } = leaving
    await open({ key: 'tightAny', body: { ...body, stream: true }, signal })
    expect(lastCheck(await ask({ key: 'tightAny', headers, body }))).toMatchObject({
      passed: false,
      code: 'quota_in_flight',
    })
    leaving.abort()
    await waitOut(gateway())
    await one.requests[0]?.whenAborted
  })

  test.each([
    [false, 'limit'],
    [true, 'slices'],
  ])('an answer that would be kept within it, stream %p: %s', async (isStream, kind) => {
    const { ask } = gateway()
    const { max_tokens: _, ...unlimited } = whole
    const body = { ...unlimited, stream: isStream }
    const reply = await ask({ key: 'tightAny', headers, body })
    expect(lastCheck(reply)).toMatchObject({ passed: true })
    expect(reply.json['hold']).toMatchObject({ granted: true, kept_within: kind })
  })

  test('an account that does not balance', async () => {
    const { ask, engine } = gateway()
    const stop = { account_id: 'tight', found_at: 1, findings: 'x', released_at: null }
    await engine.db.insertInto('audit_stop').values(stop).execute()
    const reply = await ask({ key: 'tight', headers, body: chatBody() })
    await engine.db.deleteFrom('audit_stop').execute()
    expect(lastCheck(reply)).toMatchObject({ passed: false, code: 'unavailable' })
  })
})

describe('an explained token count', () => {
  const model = viaModel('messages')
  const turn = { role: 'user', content: 'Hi' }
  test.each([
    ['/v1/messages/count_tokens', { model, messages: [turn] }],
    ['/v1/responses/input_tokens', { model, input: 'Hi' }],
    [
      `/v1beta/models/${model}:countTokens`,
      { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    ],
  ])('%s: is not sent, and costs nothing', async (path, body) => {
    const { ask, one, money } = gateway()
    const reply = await ask({ key: 'any', path, headers, body })
    expect(reply.json).toMatchObject({
      object: 'explanation',
      model,
      tried: [{ group: 'any', model, why: 'only' }],
    })
    expect(lastCheck(reply)).toEqual({ check: 'features and shared objects', passed: true })
    expect(reply.json['hold']).toBeUndefined()
    expect(one.requests).toHaveLength(0)
    expect(await money.usageRow(reply.requestId)).toMatchObject({ reason: 'explained' })
  })
})
