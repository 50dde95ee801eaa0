import { afterEach, beforeEach, expect, test } from 'bun:test'
import { putMember } from '../../../../src/accounts/member-store.ts'
import type { MemberAdded, UserWithLink } from '../../../../src/console-api/contract.ts'
import { write } from '../../../../src/store/changes/write.ts'
import { cookieOf, readJson } from '../../../support/console/console-fixture.ts'
import { lastFailure } from '../open-id/open-id-console.ts'
import { type InvitationFixture, openInvitationFixture, tokenIn } from './invitation-fixture.ts'

/*
 * An owner sees the link of an invitation, and an operator that of a new user. Whoever has lost the right to give such a
 * link must not come back with one that they have kept.
 */

const api = '/console/api'
let fixture: InvitationFixture
let root: string

/** Ada is a second operator; Owen and Bob own acme. */
beforeEach(async () => {
  fixture = await openInvitationFixture()
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
const invitation = { email: 'new-person@x.org', role: 'member' }

type Giver = () => Promise<readonly [path: 'invitation' | 'sign-in-link', token: string]>
const inviters = {
  owner: async (body: object) =>
    readJson<MemberAdded>(
      call(await fixture.signIn('u_owen'), 'POST', '/accounts/acme/members', body),
    ),
  'token of an owner': async (body: object) => {
    const token = {
      name: 't',
      scopes: ['all'],
      accountId: 'acme',
      expiresAt: null,
      addresses: null,
    }
    const made = await call(await fixture.signIn('u_owen'), 'POST', '/tokens', token)
    const { value } = await readJson<{ value: string }>(made)
    return readJson<MemberAdded>(fixture.admin(value, 'POST', '/accounts/acme/members', { body }))
  },
}
const givers = {
  owner: async () =>
    ['invitation', tokenIn((await inviters.owner(invitation)).invitationUrl)] as const,
  'token of an owner': async () => {
    const { invitationUrl } = await inviters['token of an owner'](invitation)
    return ['invitation', tokenIn(invitationUrl)] as const
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

/*
 * A person whose address is verified needs no link: the invitation waits for them. It also ends with the right of the
 * inviter.
 */

/** Nora has a verified user, and Sam gets one with the first sign-in at the identity provider. */
const nora = 'new@example.com'
const sam = { openId: 'issuer sam', email: 'sam@example.com' }
const acceptances: Record<string, (added: MemberAdded) => Promise<string | undefined>> = {
  'the list of invitations': async () => {
    const cookie = await fixture.signIn('u_new')
    const { invitations } = await fixture.sessionOf(cookie)
    const accepted = await call(cookie, 'POST', '/invitations/accept', { account: 'acme' })
    expect(accepted.status).toBe(invitations.length === 0 ? 404 : 200)
    return cookie
  },
  'the link, signed in': async (added) => {
    const cookie = await fixture.signIn('u_new')
    const accepted = await fixture.acceptLink(added, cookie)
    expect(accepted.status).toBeOneOf([200, 410])
    return cookie
  },
  'the first sign-in at the provider': () => fixture.byOpenId(sam),
}
const ways = Object.keys(acceptances)
const emailOf = (way: string) => (way === ways[2] ? sam.email : nora)
const accountsAfter = async (way: string, added: MemberAdded) => {
  const cookie = await acceptances[way]?.(added)
  return cookie === undefined ? [] : fixture.accountsOf(cookie)
}
const joined = (way: string, role: string) =>
  way === ways[2] ? [`${role} of acme`] : [`${role} of acme`, 'member of empty']

for (const way of ways) {
  test.each(losses.flatMap(([who, ...loss]) => (who in inviters ? [[who, ...loss] as const] : [])))(
    `${way}: the invitation of an %s ends with %s %s %p`,
    async (who, method, path, body) => {
      const added = await inviters[who as keyof typeof inviters]({
        email: emailOf(way),
        role: 'owner',
      })
      expect((await call(root, method, path, body)).status).toBe(200)
      expect(await accountsAfter(way, added)).not.toContainEqual(expect.stringContaining('acme'))
    },
  )

  test(`${way}: the invitation of an owner counts while they keep the right`, async () => {
    const added = await inviters.owner({ email: emailOf(way), role: 'owner' })
    await call(root, 'PATCH', '/accounts/acme/members?user=u_bob', { role: 'member' })
    expect(await accountsAfter(way, added)).toEqual(joined(way, 'owner'))
  })

  test(`${way}: an opened invitation keeps the role of the unverified user`, async () => {
    const added = await inviters.owner({ email: emailOf(way), role: 'owner' })
    expect((await fixture.acceptLink(added)).status).toBe(200)
    await call(root, 'DELETE', membership)
    const found = await accountsAfter(way, added)
    if (way === 'the link, signed in') expect(found).not.toContain('owner of acme')
    else expect(found).toEqual(joined(way, 'member'))
  })

  test(`${way}: another owner invites the person again`, async () => {
    await inviters.owner({ email: emailOf(way), role: 'owner' })
    await call(root, 'DELETE', membership)
    const again = { email: emailOf(way), role: 'viewer' }
    const bob = await fixture.signIn('u_bob')
    const added = await readJson<MemberAdded>(call(bob, 'POST', '/accounts/acme/members', again))
    expect(await accountsAfter(way, added)).toEqual(joined(way, 'viewer'))
  })

  test(`${way}: a higher role ends with the right of the owner who gave it`, async () => {
    const cookie = await fixture.signIn('u_bob')
    const first = { email: emailOf(way), role: 'viewer' }
    const added = await readJson<MemberAdded>(call(cookie, 'POST', '/accounts/acme/members', first))
    const place = `/accounts/acme/members?user=${added.member.userId}`
    const owenCookie = await fixture.signIn('u_owen')
    expect((await call(owenCookie, 'PATCH', place, { role: 'owner' })).status).toBe(200)
    await call(root, 'DELETE', membership)
    expect(await accountsAfter(way, added)).not.toContainEqual(expect.stringContaining('acme'))
  })
}
