import { expect, test } from 'bun:test'
import { chatBody } from '../../support/gateway/ask.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()

test('answers, refusals and failures are in the sums of their hour, token by token', async () => {
  const { ask, one, money, engine } = gateway()
  const usage = {
    prompt_tokens: 1_000,
    completion_tokens: 200,
    prompt_tokens_details: { cached_tokens: 400 },
    completion_tokens_details: { reasoning_tokens: 50 },
  }
  const body = JSON.stringify({ id: 'c', choices: [], usage })
  const headers = { 'content-type': 'application/json' }
  const requestIds: string[] = []
  for (let count = 0; count < 3; count += 1) {
    one.script('next', { kind: 'reply', headers, body })
    const reply = await ask({ key: 'plain', body: chatBody({}) })
    expect(reply.status).toBe(200)
    requestIds.push(reply.requestId)
  }
  for (const model of ['no-such-model', 'nor-such-a-model']) {
    const reply = await ask({ key: 'plain', body: chatBody({ model }) })
    expect(reply.status).toBe(404)
    requestIds.push(reply.requestId)
  }
  for (const id of requestIds) await money.usageRow(id)
  expect(await money.counts()).toEqual({ rows: 5, entries: 3 })
  const hours = await engine.db.selectFrom('usage_hour').selectAll().execute()
  const total = (name: 'requests' | 'errors' | 'first_tokens', model: string): number =>
    hours.filter((hour) => hour.model === model).reduce((sum, hour) => sum + hour[name], 0)
  expect(total('requests', 'gpt-x')).toBe(3)
  expect(total('errors', 'gpt-x')).toBe(0)
  expect(total('requests', '')).toBe(2)
  expect(total('errors', '')).toBe(2)
  const tokens = hours
    .filter((hour) => hour.model === 'gpt-x')
    .map((hour) => [hour.input_tokens, hour.cache_read_tokens, hour.output_tokens, hour.requests])
  // A new hour may have begun in between.
  for (const [input, cached, output, requests = 0] of tokens) {
    expect([input, cached, output]).toEqual([600 * requests, 400 * requests, 200 * requests])
  }
  const cost = await engine.db.selectFrom('entry').select('cost_nano').execute()
  const sum = (list: readonly { cost_nano: bigint }[]): bigint =>
    list.reduce((nano, each) => nano + each.cost_nano, 0n)
  expect(sum(hours)).toBe(sum(cost))
})
