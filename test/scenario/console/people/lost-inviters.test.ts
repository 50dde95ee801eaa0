import { afterEach, beforeEach, expect, test } from 'bun:test'
import { putMember } from '../../../../src/accounts/member-store.ts'
import type { MemberAdded, UserWithLink } from '../../../../src/console-api/contract.ts'
import { write } from '../../../../src/store/changes/write.ts'
import {
  type ConsoleFixture,
  cookieOf,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { lastFailure } from '../open-id/open-id-console.ts'

/*
 * An owner sees the link of an invitation, and an operator that of a new user. Whoever has lost the right to give such a
 * link must not come back with one that they have kept.
 */

const api = '/console/api'
let fixture: ConsoleFixture
let root: string

/** Ada is a second operator; Owen and Bob own acme. */
beforeEach(async () => {
  fixture = await openConsoleFixture()
  root = await fixture.signIn('u_root')
  const ada = { id: 'u_ada', email: 'ada@example.com', role: 'admin', password_hash: null }
  await fixture.engine.db
    .insertInto('console_user')
    .values({ ...ada, created_at: 1 })
    .execute()
  const bob = { userId: 'u_bob', accountId: 'acme', role: 'owner' } as const
  await write(fixture.engine, fixture.nowMs(), (writing) => putMember(writing, bob))
})
afterEach(() => fixture.close())

const call = (cookie: string, method: string, path: string, body: object = {}) =>
  fixture.send(method, `${api}${path}`, { cookie, body })
const tokenIn = (url: string | null) => url?.split('#')[1] ?? ''
const invitation = { email: 'new-person@x.org', role: 'member' }

type Giver = () => Promise<readonly [path: 'invitation' | 'sign-in-link', token: string]>
const givers = {
  owner: async () => {
    const made = call(await fixture.signIn('u_owen'), 'POST', '/accounts/acme/members', invitation)
    return ['invitation', tokenIn((await readJson<MemberAdded>(made)).invitationUrl)] as const
  },
  'token of an owner': async () => {
    const body = { name: 't', scopes: ['all'], accountId: 'acme', expiresAt: null, addresses: null }
    const made = await call(await fixture.signIn('u_owen'), 'POST', '/tokens', body)
    const { value } = await readJson<{ value: string }>(made)
    const added = fixture.admin(value, 'POST', '/accounts/acme/members', { body: invitation })
    return ['invitation', tokenIn((await readJson<MemberAdded>(added)).invitationUrl)] as const
  },
  operator: async () => {
    const body = { email: 'new-user@x.org', role: 'member', accounts: [] }
    const made = call(await fixture.signIn('u_ada'), 'POST', '/operate/users', body)
    return ['sign-in-link', tokenIn((await readJson<UserWithLink>(made)).signInUrl)] as const
  },
  'operator for a known user': async () => {
    const made = call(await fixture.signIn('u_ada'), 'POST', '/operate/users/u_ann/sign-in-link')
    return ['sign-in-link', tokenIn((await readJson<UserWithLink>(made)).signInUrl)] as const
  },
} satisfies Record<string, Giver>

const owen = '/operate/users/u_owen'
const ada = '/operate/users/u_ada'
const membership = '/accounts/acme/members?user=u_owen'
const losses: readonly (readonly [keyof typeof givers, string, string, object])[] = [
  ['owner', 'DELETE', membership, {}],
  ['owner', 'PATCH', membership, { role: 'member' }],
  ['owner', 'PATCH', owen, { isSuspended: true }],
  ['owner', 'DELETE', owen, {}],
  ['token of an owner', 'DELETE', membership, {}],
  ['token of an owner', 'PATCH', membership, { role: 'viewer' }],
  ['operator', 'PATCH', ada, { role: 'member' }],
  ['operator', 'PATCH', ada, { isSuspended: true }],
  ['operator', 'DELETE', ada, {}],
  ['operator for a known user', 'PATCH', ada, { role: 'member' }],
]
test.each(losses)('the link of an %s ends with %s %s %p', async (who, method, path, body) => {
  const [place, token] = await givers[who]()
  expect((await call(root, method, path, body)).status).toBe(200)
  const late = await fixture.post(`${api}/${place}`, { body: { token } })
  expect([late.status, cookieOf(late)]).toEqual([410, ''])
  expect(await lastFailure(fixture)).toBe('link-withdrawn')
})

test('a revoked token ends the links that it got', async () => {
  const [place, token] = await givers['token of an owner']()
  const { id } = await fixture.engine.db
    .selectFrom('admin_token')
    .select('id')
    .executeTakeFirstOrThrow()
  expect((await call(root, 'DELETE', `/tokens/${id}`)).status).toBe(200)
  expect((await fixture.post(`${api}/${place}`, { body: { token } })).status).toBe(410)
})

test.each(Object.keys(givers) as (keyof typeof givers)[])(
  'the link of an %s works while they keep the right, whoever else loses it',
  async (who) => {
    const [place, token] = await givers[who]()
    await call(root, 'PATCH', '/accounts/acme/members?user=u_bob', { role: 'member' })
    const opened = await fixture.post(`${api}/${place}`, { body: { token } })
    expect(opened.status).toBe(200)
  },
)

test('another owner gives the person a new link', async () => {
  await givers.owner()
  await call(root, 'DELETE', membership)
  const again = call(await fixture.signIn('u_bob'), 'POST', '/accounts/acme/members', invitation)
  const token = tokenIn((await readJson<MemberAdded>(again)).invitationUrl)
  expect((await fixture.post(`${api}/invitation`, { body: { token } })).status).toBe(200)
})
