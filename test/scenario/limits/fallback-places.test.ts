import { expect, test } from 'bun:test'
import type { Provision } from '../../../src/config/provision.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { withRouting } from '../../support/gateway/routing-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { holdBack } from '../routing/queue-helpers.ts'

/** gpt-even has two upstreams, whose credentials take one request at a time, and the fallback model gpt-y. */
function withPlaces(usual: Provision): Provision {
  const provision = withRouting(usual)
  const upstreams = provision.upstreams.map((upstream) => {
    if (!upstream.id.startsWith('even-')) return upstream
    const credentials = upstream.credentials?.map((each) => ({ ...each, concurrentRequests: 1 }))
    return { ...upstream, credentials }
  })
  const groups = provision.groups.map((group) =>
    group.id === 'default' ? { ...group, fallbacks: { 'gpt-even': ['gpt-y'] } } : group,
  )
  return { ...provision, upstreams, groups }
}

const gateway = withGateway({ extend: withPlaces })

test.each([false, true])(
  'a conversation returns to its upstream after an answer of a fallback model, stream %p',
  async (stream) => {
    const { ask, one, two, money } = gateway()
    const turn = async (name: string) => {
      const body = chatBody({ model: 'gpt-even', prompt_cache_key: name, stream })
      const { requestId } = await ask({ key: 'plain', body })
      return (await money.usageRow(requestId)).upstream_id
    }
    for (let index = 0; index < 8; index += 1) {
      const name = `conversation ${index}`
      const before = await turn(name)
      const releases = [holdBack(one), holdBack(two)]
      const seen = [one.requests.length, two.requests.length] as const
      const others = [0, 1].map(() => ask({ key: 'plain', body: chatBody({ model: 'gpt-even' }) }))
      await one.whenRequested(seen[0] + 1)
      await two.whenRequested(seen[1] + 1)
      expect(await turn(name)).toBe('one')
      for (const release of releases) release()
      await Promise.all(others)
      expect(await turn(name)).toBe(before)
    }
  },
)
