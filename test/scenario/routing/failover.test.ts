import { describe, expect, test } from 'bun:test'
import type { Behaviour } from '../../support/fake-upstream/behaviour.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { done, event, roleChunk } from '../../support/gateway/chat-events.ts'
import { credentials } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { withoutStale } from '../../support/gateway/without-stale.ts'

const gateway = withGateway()
const shapes = [
  { shape: 'whole', isStream: false },
  { shape: 'stream', isStream: true },
]

describe('the next upstream answers instead', () => {
  const errorEvent = event({ error: { message: 'overloaded', type: 'server_error' } })
  const events = (list: string[], end: 'clean' | 'cut'): Behaviour => ({
    kind: 'events',
    events: list,
    end,
  })
  const rows: { name: string; behaviour: Behaviour; only?: 'stream' }[] = [
    ...[401, 403, 408, 429, 500, 503, 529].map((status) => ({
      name: String(status),
      behaviour: { kind: 'status', status } as const,
    })),
    { name: 'a connection reset', behaviour: { kind: 'reset' } },
    { name: 'garbage', behaviour: { kind: 'reply', body: 'nonsense' } },
    {
      name: 'an error as the first event',
      behaviour: events([errorEvent], 'clean'),
      only: 'stream',
    },
    {
      name: 'an error before any content',
      behaviour: events([': hello\n\n', roleChunk(), errorEvent, done], 'clean'),
      only: 'stream',
    },
    { name: 'an empty stream', behaviour: events([], 'clean'), only: 'stream' },
    {
      name: 'a stream cut before any content',
      behaviour: events([roleChunk()], 'cut'),
      only: 'stream',
    },
  ]
  for (const { shape, isStream } of shapes) {
    const chosen = rows.filter(({ only }) => isStream || only === undefined)
    test.each(chosen)(`after $name, asked for a ${shape}`, async ({ behaviour }) => {
      const { ask, one, two, money } = gateway()
      one.script(behaviour.kind === 'reset' ? {} : 'next', behaviour)
      const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
      two.script('next', { kind: 'lie-usage', usage })
      const reply = await ask({ key: 'plain', body: chatBody({ stream: isStream }) })
      expect(reply.status).toBe(200)
      expect(reply.text).toContain('morning')
      expect(reply.text).not.toContain('overloaded')
      expect(two.requests[0]?.headers['authorization']).toBe(`Bearer ${credentials.two}`)
      expect(withoutStale(await money.attempts(reply.requestId))).toMatchObject([
        { upstream_id: 'one', reason: expect.stringMatching(/^upstream_(error|rejected)$/) },
        { upstream_id: 'two', status: 200, reason: null },
      ])
      expect(await money.usageRow(reply.requestId)).toMatchObject({
        status: 200,
        reason: null,
        upstream_id: 'two',
        cost_nano: 125_000n,
      })
      expect((await money.entry(reply.requestId)).cost_nano).toBe(125_000n)
    })
  }

  test('of another group, at that group’s price', async () => {
    const { ask, one, two, money } = gateway()
    one.script('next', { kind: 'status', status: 500 })
    two.script('next', { kind: 'status', status: 500 })
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
    two.script('next', { kind: 'lie-usage', usage })
    const reply = await ask({ key: 'automatic', body: chatBody() })
    expect(reply.status).toBe(200)
    expect(await money.usageRow(reply.requestId)).toMatchObject({
      group_id: 'premium',
      upstream_id: 'dear',
      cost_nano: 187_500n,
    })
    expect((await money.entry(reply.requestId)).factor_micro).toBe(1_500_000)
  })

  test('and when all have failed, the client gets the last reason once', async () => {
    const { ask, one, two, money } = gateway()
    one.script('next', { kind: 'status', status: 500 })
    two.script('next', { kind: 'status', status: 502 })
    const reply = await ask({ key: 'plain', body: chatBody() })
    expect(reply.status).toBe(502)
    expect(reply.headers.get('x-should-retry')).toBe('false')
    expect(one.requests).toHaveLength(1)
    expect(two.requests).toHaveLength(1)
    expect(await money.attempts(reply.requestId)).toHaveLength(2)
    expect((await money.entry(reply.requestId)).cost_nano).toBe(0n)
  })

  test('a failed attempt that reported usage before any content is charged, and not retried', async () => {
    const { ask, one, two, money } = gateway()
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
    const list = [
      roleChunk({ usage }),
      event({ error: { message: 'broke', type: 'server_error' } }),
    ]
    one.script('next', events(list, 'clean'))
    const reply = await ask({ key: 'plain', body: chatBody({ stream: true }) })
    expect(reply.status).toBe(502)
    expect(two.requests).toHaveLength(0)
    expect((await money.entry(reply.requestId)).cost_nano).toBe(125_000n)
  })
})
