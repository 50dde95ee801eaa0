import { describe, expect, test } from 'bun:test'
import type { Provision } from '../../../src/config/provision.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { withRouting } from '../../support/gateway/routing-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { holdBack, queue, untilWaiting } from '../routing/queue-helpers.ts'

/**
 * gpt-main has two upstreams: the credential of the first may be used once a minute, the second takes one request at a
 * time. Its fallback model gpt-y costs ten times as much.
 */
function withDearFallback(usual: Provision): Provision {
  const provision = withRouting(usual)
  const main = provision.upstreams.find(({ id }) => id === 'main')
  if (!main) throw new Error('the usual provision has changed')
  const others = provision.upstreams.filter((upstream) => upstream !== main)
  const credentials = main.credentials?.map((each) => ({ ...each, requestsPerMinute: 1 }))
  const upstreams = [
    ...others,
    { ...main, credentials },
    { ...main, id: 'main-two', priority: 1, concurrencyMax: 1 },
  ]
  const models = provision.models.map((model) => {
    const { price } = model
    if (model.id !== 'gpt-y' || !price) return model
    const { inputNano, outputNano } = price
    return {
      ...model,
      price: { ...price, inputNano: inputNano * 10n, outputNano: outputNano * 10n },
    }
  })
  return { ...provision, upstreams, models }
}

const gateway = withGateway({ extend: withDearFallback, queue })

/** Both upstreams of gpt-main are busy: the limit of the first is reached, and a request runs at the second. */
async function occupy() {
  const { ask, two, clock } = gateway()
  const body = chatBody({ model: 'gpt-main' })
  expect((await ask({ key: 'plain', body })).status).toBe(200)
  const release = holdBack(two)
  const running = ask({ key: 'plain', body })
  await two.whenRequested(2)
  const end = async () => {
    release()
    expect((await running).status).toBe(200)
    clock.passTime(600_000)
  }
  return { end }
}

/** In the first second after a refusal the first upstream is not in the plan; later it is, and refuses again. */
describe.each([0, 2_000])(
  'a dear fallback model beside a full upstream, %i ms after a refusal',
  (ms) => {
    test('answers if there is money', async () => {
      const { ask, one, clock } = gateway()
      const { end } = await occupy()
      clock.passTime(ms)
      const body = chatBody({ model: 'gpt-main', max_tokens: 1_000 })
      expect((await ask({ key: 'plain', body })).headers.get('x-gateway-model')).toBe('gpt-y')
      expect(one.requests).toHaveLength(1)
      await end()
    })

    test('does not answer if there is too little money: the request waits', async () => {
      const { ask, one, two, clock } = gateway()
      const { end } = await occupy()
      clock.passTime(ms)
      // The quota covers the request at gpt-main, but not at gpt-y.
      const body = chatBody({ model: 'gpt-main', max_tokens: 1_000 })
      const waiting = ask({ key: 'quota', body })
      await untilWaiting(gateway(), 1)
      await end()
      expect((await waiting).status).toBe(200)
      expect(one.requests).toHaveLength(0)
      expect(two.requests).toHaveLength(3)
    })
  },
)

test('a fallback model that comes first answers within little money', async () => {
  const { ask, two } = gateway()
  const { end } = await occupy()
  const reply = await ask({
    key: 'quota',
    body: chatBody({ model: 'gpt-main', max_tokens: undefined }),
  })
  expect([reply.status, reply.headers.get('x-gateway-model')]).toEqual([200, 'gpt-y'])
  expect(two.requests).toHaveLength(2)
  await end()
})
