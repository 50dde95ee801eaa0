import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { startOpenIdProvider } from '../../../support/console/open-id-provider.ts'
import { type OwnerFixture, openOwnerFixture } from '../keys/key-owner-fixture.ts'

/*
 * The answer to a change says that the change is in force. A process that answers first would still admit requests of a
 * member who is gone.
 */

const api = '/console/api'
const provider = startOpenIdProvider()
const groups = [{ group: 'ai', account: 'globex', role: 'member' }] as const
let fixture: OwnerFixture
let cookies: Record<'root' | 'owen' | 'ann', string>
/** Resolves `catchUp` of the gateway. */
let isThere = Promise.withResolvers<void>()
let asked = 0

beforeAll(async () => {
  const catchUp = () => {
    asked += 1
    return isThere.promise
  }
  const openId = provider.settings('Our login', { rules: { create: 'groups', groups } })
  fixture = await openOwnerFixture(undefined, { gateway: { catchUp }, openId })
})
afterAll(async () => {
  await fixture.close()
  await provider.stop()
})
beforeEach(async () => {
  await fixture.resetKeys()
  cookies = {
    root: await fixture.signIn('u_root'),
    owen: await fixture.signIn('u_owen'),
    ann: await fixture.signIn('u_ann'),
  }
  isThere = Promise.withResolvers<void>()
  asked = 0
})

type Who = keyof typeof cookies
const memberOf = (user: string) => `/accounts/acme/members?user=${user}`
const changes: readonly (readonly [Who, string, string, object])[] = [
  ['owen', 'PATCH', memberOf('u_ann'), { role: 'viewer' }],
  ['owen', 'PATCH', memberOf('u_ann'), { role: 'member' }],
  ['owen', 'PATCH', memberOf('u_ann'), { dailyNano: '5' }],
  ['owen', 'PATCH', '/keys/key_ann', { isEnabled: false }],
  ['owen', 'POST', '/keys/key_left/convert', {}],
  ['ann', 'POST', '/keys/key_ann/rotate', {}],
  ['ann', 'DELETE', '/keys/key_ann', {}],
  ['root', 'PATCH', '/operate/users/u_amy', { isSuspended: true }],
  ['root', 'PATCH', '/operate/accounts/acme', { status: 'suspended' }],
  ['root', 'POST', '/operate/provision', { keys: [] }],
  ['owen', 'DELETE', memberOf('u_amy'), {}],
  ['root', 'DELETE', '/operate/users/u_vera', {}],
]
test.each(changes)(
  '%s %s %s %p is answered when it is in force',
  async (who, method, path, body) => {
    const cookie = cookies[who]
    let isAnswered = false
    const answer = fixture.send(method, `${api}${path}`, { cookie, body }).finally(() => {
      isAnswered = true
    })
    // Each request takes longer than the change, so the answer would be here.
    for (let turn = 0; turn < 200 && asked === 0; turn += 1)
      await fixture.get(`${api}/session`, { cookie })
    expect([asked, isAnswered]).toEqual([1, false])
    isThere.resolve()
    expect((await answer).status).toBe(200)
  },
)

test('a sign-in that ends a membership is answered when its keys are refused', async () => {
  const told = (...names: string[]) => ({
    sub: 'lost',
    email: 'lost@example.com',
    email_verified: true,
    more: { groups: names },
  })
  const arrive = async (...names: string[]) => {
    const left = await fixture.get(`${api}/open-id/start`)
    const cookie = (left.headers.get('set-cookie') ?? '').split(';')[0]
    const query = provider.signIn(left.headers.get('location') ?? '', told(...names))
    return fixture.get(`${api}/open-id/callback?${query.toString()}`, { cookie })
  }
  isThere.resolve()
  expect((await arrive('ai')).status).toBe(200)
  const { id } = await fixture.engine.db
    .selectFrom('console_user')
    .select('id')
    .where('email', '=', 'lost@example.com')
    .executeTakeFirstOrThrow()
  await fixture.engine.db
    .updateTable('api_key')
    .set({ owner_user_id: id, account_id: 'globex' })
    .where('id', '=', 'key_ann')
    .execute()
  asked = 0
  expect((await arrive('others')).status).toBe(302)
  expect(asked).toBe(1)
})

test('what decides about no request waits for nothing', async () => {
  for (const [method, path] of [
    ['GET', '/keys'],
    ['PATCH', '/me'],
  ] as const) {
    const options = { cookie: cookies.owen, body: { theme: 'dark' } }
    expect((await fixture.send(method, `${api}${path}`, options)).status).toBe(200)
  }
  expect(asked).toBe(0)
})
