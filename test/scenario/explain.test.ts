import { describe, expect, test } from 'bun:test'
import { chatBody } from '../support/gateway/ask.ts'
import { withRouting } from '../support/gateway/routing-provision.ts'
import { withGateway } from '../support/gateway/with-gateway.ts'
import { tongues } from '../support/tongues/tongues.ts'

const gateway = withGateway({ extend: withRouting })
const headers = { 'x-gateway-explain': 'true' }

describe('a request that only asks what would be done', () => {
  test.each(Object.values(tongues))(
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
            { group: 'default', upstream: 'one', priority: 0, why: 'priority' },
            { group: 'default', upstream: 'two', priority: 1, why: 'priority' },
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

  test('tells who is left out, and why', async () => {
    const { ask, one } = gateway()
    one.script({}, { kind: 'status', status: 500 })
    for (let round = 0; round < 5; round += 1) await ask({ key: 'automatic', body: chatBody() })
    const { json } = await ask({ key: 'automatic', headers, body: chatBody() })
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

  test('tells which check refuses, without refusing itself', async () => {
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

  test('says nothing to whom the gateway does not know', async () => {
    const { ask } = gateway()
    const reply = await ask({ key: 'disabled', headers, body: chatBody() })
    expect(reply.status).toBe(401)
    expect(reply.text).not.toContain('explanation')
  })

  test('any other word in the header is no question', async () => {
    const { ask, one } = gateway()
    const reply = await ask({
      key: 'plain',
      headers: { 'x-gateway-explain': 'no' },
      body: chatBody(),
    })
    expect(reply.json['object']).not.toBe('explanation')
    expect(one.requests).toHaveLength(1)
    expect(one.requests[0]?.headers['x-gateway-explain']).toBeUndefined()
  })
})
