import { describe, expect, test } from 'bun:test'
import { chatBody } from '../../support/gateway/ask.ts'
import type { KeyName } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()

describe('no such model in the groups of the key', () => {
  const rows: { why: string; key: KeyName; model: string; logged?: string }[] = [
    { why: 'unknown', key: 'plain', model: 'no-such-model' },
    { why: 'a model of another group only', key: 'plain', model: 'gpt-premium' },
    { why: 'a model that is not in this group', key: 'premium', model: 'gpt-y' },
    { why: 'another case', key: 'plain', model: 'GPT-X' },
    { why: 'a trailing space', key: 'plain', model: 'gpt-x ' },
    { why: 'the upstream’s own name of the model', key: 'plain', model: 'their-name-for-y' },
    { why: 'a property name of Object', key: 'plain', model: 'constructor' },
    { why: 'a very long name', key: 'plain', model: 'm'.repeat(5_000), logged: 'm'.repeat(200) },
  ]
  test.each(rows)('$why', async ({ key, model, logged }) => {
    const { ask, one, two, money } = gateway()
    const before = await money.counts()
    const reply = await ask({ key, body: chatBody({ model }) })
    expect(reply.status).toBe(404)
    expect(reply.json).toEqual({
      error: {
        message: expect.stringContaining(model.slice(0, 200)),
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      },
    })
    expect(reply.text.length).toBeLessThan(1_000)
    expect(await money.usageRow(reply.requestId)).toMatchObject({
      status: 404,
      reason: 'model_not_found',
      model: logged ?? model,
      cost_nano: 0n,
    })
    expect([...one.requests, ...two.requests]).toEqual([])
    expect((await money.counts()).entries).toBe(before.entries)
  })

  test('the same model is found through a second group, at that group’s price', async () => {
    const { ask, money } = gateway()
    const reply = await ask({ key: 'automatic', body: chatBody({ model: 'gpt-premium' }) })
    expect(reply.status).toBe(200)
    expect((await money.usageRow(reply.requestId)).group_id).toBe('premium')
    expect((await money.entry(reply.requestId)).factor_micro).toBe(1_500_000)
  })
})
