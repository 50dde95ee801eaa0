import { describe, expect, test } from 'bun:test'
import { chatBody } from '../../support/gateway/ask.ts'
import type { KeyName } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const endsAtMs = Date.UTC(2099, 0, 1)

/** The premium group is granted to one account without an end, to another until 2099, and to no other. */
const gateway = withGateway({
  extend: (provision) => ({
    ...provision,
    groups: provision.groups.map((group) =>
      group.id === 'premium'
        ? {
            ...group,
            grants: [
              { accountId: 'tight', until: null },
              { accountId: 'acme', until: endsAtMs },
            ],
          }
        : group,
    ),
    keys: provision.keys.map((key) =>
      key.id === 'other' ? { ...key, accountId: 'broke', groups: ['premium'] } : key,
    ),
  }),
})

async function visible(key: KeyName): Promise<string[]> {
  const { json } = await gateway().ask({ key, path: '/v1/models' })
  return (json as { data: { id: string }[] }).data.map(({ id }) => id)
}

describe('a group that is restricted to accounts', () => {
  test('serves an account with a grant', async () => {
    const { ask } = gateway()
    const { status } = await ask({ key: 'premium', body: chatBody({ model: 'gpt-premium' }) })
    expect(status).toBe(200)
    expect(await visible('premium')).toContain('gpt-premium')
  })

  test('refuses an account without a grant, and is not listed for it', async () => {
    const { ask, two } = gateway()
    const { status, json } = await ask({ key: 'other', body: chatBody({ model: 'gpt-premium' }) })
    expect(status).toBe(403)
    expect(json).toMatchObject({ error: { code: 'group_not_allowed' } })
    expect(await visible('other')).toEqual([])
    expect((await ask({ key: 'other', path: '/v1/models/gpt-premium' })).status).toBe(404)
    expect(two.requests).toEqual([])
  })

  test('refuses an account whose grant has ended, from that moment on', async () => {
    const { ask, clock } = gateway()
    const body = chatBody({ model: 'gpt-premium' })
    clock.freezeAt(endsAtMs - 1)
    expect((await ask({ key: 'premium', body })).status).toBe(200)
    expect(await visible('premium')).toContain('gpt-premium')
    clock.freezeAt(endsAtMs)
    const refused = await ask({ key: 'premium', body })
    expect(refused.status).toBe(403)
    expect(refused.json).toMatchObject({ error: { code: 'group_not_allowed' } })
    expect(await visible('premium')).toEqual([])
  })

  test('is skipped in an automatic order', async () => {
    const { ask, clock, one, money } = gateway()
    clock.freezeAt(endsAtMs)
    const { status, requestId } = await ask({ key: 'reversed', body: chatBody({ model: 'gpt-x' }) })
    expect(status).toBe(200)
    expect(one.requests).toHaveLength(1)
    clock.freezeAt(undefined)
    expect((await money.usageRow(requestId)).group_id).toBe('default')
  })
})
