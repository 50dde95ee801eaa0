import { expect, test } from 'bun:test'
import type { Provision } from '../../../src/config/provision.ts'
import { withRouting } from '../../support/gateway/routing-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { greeting } from '../../support/protocols/test-protocol.ts'
import { testProtocols } from '../../support/protocols/test-protocols.ts'

/** gpt-main may be asked once a minute. Its fallback model gpt-y has another upstream. Both upstreams store responses. */
function withStores(usual: Provision): Provision {
  const provision = withRouting(usual)
  const upstreams = provision.upstreams.map((upstream) =>
    upstream.id === 'main' || upstream.id === 'one'
      ? {
          ...upstream,
          vendor: 'openai',
          protocol: 'responses' as const,
          credentials: upstream.credentials?.map((each) => ({
            ...each,
            ...(upstream.id === 'main' && { requestsPerMinute: 1 }),
          })),
        }
      : upstream,
  )
  return { ...provision, upstreams }
}

const gateway = withGateway({ extend: withStores })
const { client, upstream } = testProtocols.responses
const path = '/v1/responses'

test('a response that a fallback model has made is continued, read and deleted where it is stored', async () => {
  const { ask, one, two, clock } = gateway()
  const answer = (id: string) => ({
    kind: 'reply' as const,
    body: JSON.stringify(upstream.reply({ ...greeting, id })),
  })
  const request = (previous?: string) => ({
    ...client.body('gpt-main', false),
    ...(previous !== undefined && { previous_response_id: previous }),
  })
  two.script('next', answer('resp_main'))
  expect((await ask({ key: 'plain', path, body: request() })).status).toBe(200)
  one.script('next', answer('resp_fallback'))
  const made = await ask({ key: 'plain', path, body: request() })
  expect(made.headers.get('x-gateway-model')).toBe('gpt-y')

  // Also when the requested model has room again: it is at another upstream, which does not know the response.
  for (const waitMs of [0, 120_000]) {
    clock.passTime(waitMs)
    one.script('next', answer(`resp_next_${waitMs}`))
    const next = await ask({ key: 'plain', path, body: request('resp_fallback') })
    expect(next.status).toBe(200)
    expect(next.headers.get('x-gateway-model')).toBe('gpt-y')
  }
  expect(two.requests).toHaveLength(1)
  const stranger = await ask({ key: 'other', path, body: request('resp_fallback') })
  expect(stranger.json['error']).toMatchObject({ code: 'previous_response_not_found' })

  for (const method of ['GET', 'DELETE']) {
    one.script('next', { kind: 'reply', body: '{"id":"resp_fallback"}' })
    const reply = await ask({ key: 'plain', method, path: `${path}/resp_fallback` })
    expect({ method, status: reply.status }).toEqual({ method, status: 200 })
  }
  const gone = await ask({ key: 'plain', path, body: request('resp_fallback') })
  expect(gone.json['error']).toMatchObject({ code: 'previous_response_not_found' })
})
