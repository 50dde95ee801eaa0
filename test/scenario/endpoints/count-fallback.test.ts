import { expect, test } from 'bun:test'
import type { Provision } from '../../../src/config/provision.ts'
import { withRouting } from '../../support/gateway/routing-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { testProtocols } from '../../support/protocols/test-protocols.ts'
import { holdBack } from '../routing/queue-helpers.ts'

/** gpt-main takes one request at a time. Its fallback model gpt-y has another upstream. Both upstreams can count. */
function withCounts(usual: Provision): Provision {
  const provision = withRouting(usual)
  const upstreams = provision.upstreams.map((upstream) =>
    upstream.id === 'main' || upstream.id === 'one'
      ? {
          ...upstream,
          vendor: 'openai',
          protocol: 'responses' as const,
          ...(upstream.id === 'main' && { concurrencyMax: 1 }),
        }
      : upstream,
  )
  return { ...provision, upstreams }
}

const gateway = withGateway({ extend: withCounts })

test('the tokens of a model whose upstream is full are counted there, not by its fallback model', async () => {
  const { ask, one, two } = gateway()
  const body = testProtocols.responses.client.body('gpt-main', false)
  const release = holdBack(two)
  const running = ask({ key: 'plain', path: '/v1/responses', body })
  await two.whenRequested(1)
  two.script('next', {
    kind: 'reply',
    body: JSON.stringify({ object: 'response.input_tokens', input_tokens: 4_711 }),
  })
  const path = '/v1/responses/input_tokens'
  const counted = await ask({ key: 'plain', path, body: { model: 'gpt-main', input: 'Hello' } })
  expect(counted.json).toEqual({ object: 'response.input_tokens', input_tokens: 4_711 })
  expect([one.requests.length, two.requests.length]).toEqual([0, 2])
  release()
  await running
})
